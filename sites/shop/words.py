"""Word lists from which a shop world is recombined.

The lists are only ever indexed by a seeded generator, so their order is part of each world: append, never reorder.
"""

from typing import Any

NAME_STARTS = (
    "Al An Ar As Bel Ber Bor Bri Cal Cas Cor Dal Del Dor El Em Er Fal Fen Fin Gal Gar Hal Har Hel Ing Is Jun Kal "
    "Kar Kel Lan Lin Lor Lun Mar Mel Mir Mor Nal Nor Ol Or Os Per Quin Ral Ren Ros Sal Sel Sol Sten Tal Tam Tor "
    "Ul Val Ven Vil Wes Yar Zel"
).split()

NAME_ENDS = (
    "a aby ada age ako alis amar anda ara aro aster avel berg bury by da dale den der dis do dra eby elle eno era "
    "eth ette field ford gard gate ham hold holm ia ida igo ila ine inor io ira iston ka land lo lund ma mere mont "
    "more na nis nova ona ora oren os ovan ra rick ridge sa sen stad ston sund ta tis ton tora una va vale ven vik "
    "wick wood worth ya"
).split()

LINE_WORDS = (
    "Alder Amber Anchor Arbor Aspen Atlas Aurora Basil Beacon Birch Bramble Breeze Bristol Brook Canyon Cedar "
    "Cinder Clover Cobalt Comet Copper Coral Cove Crescent Cypress Dawn Delta Dune Echo Elm Ember Fable Falcon "
    "Fern Fjord Flint Forge Galena Garnet Glade Granite Harbor Haven Hazel Heron Hollow Indigo Iris Ivory Jasper "
    "Juniper Kestrel Lagoon Lark Laurel Linden Lisbon Lotus Lumen Maple Marina Meadow Mesa Mistral Monsoon Nimbus "
    "Nova Oasis Onyx Orchard Oslo Otter Pebble Pepper Pine Prairie Quarry Quartz Quill Raven Reef Ridge River "
    "Rowan Saffron Sage Sierra Slate Solstice Sparrow Spruce Summit Tempo Thistle Timber Topaz Tundra Umber Verona "
    "Vesper Violet Walnut Willow Wren Zephyr"
).split()

MODIFIERS = (
    "Classic Compact Slim Everyday Studio Heritage Urban Modern Petite Grand Essential Signature Premium Rustic "
    "Mini Weekend Nordic Original Light Double Folding Round Soft Bold"
).split()

BRAND_ENDS = ("& Co", "Works", "Home", "Goods", "Supply", "Studio", "& Daughters", "Makers", "Lab", "")

# Category id -> name, how each option is offered, price range in cents, name stems, colours, sizes, materials,
# weight range in grams, and one specification of its own with its values.
CATEGORIES: dict[str, dict[str, Any]] = {
    "lighting": {
        "name": "Lighting",
        "options": {"colour": "radio", "size": "select"},
        "price": (1900, 38000),
        "nouns": (
            "Floor Lamp|Desk Lamp|Table Lamp|Pendant Light|Wall Lamp|Reading Lamp|Ceiling Light|Lantern|Spotlight|"
            "Chandelier|Night Light|Bedside Lamp|Clip Lamp|String Lights|Arc Lamp|Tripod Lamp"
        ).split("|"),
        "colours": ("black", "white", "brass", "grey", "green", "navy"),
        "sizes": (),
        "materials": ("steel", "oak", "glass", "linen", "ceramic", "aluminium", "rattan"),
        "weight": (400, 9000),
        "extra": ("Bulb", ("E14", "E27", "GU10", "Built-in LED")),
    },
    "furniture": {
        "name": "Furniture",
        "options": {"colour": "radio", "size": "select"},
        "price": (4900, 98000),
        "nouns": (
            "Armchair|Side Table|Bookcase|Coffee Table|Dining Chair|Writing Desk|Stool|Bench|Sideboard|Shelf|"
            "Nightstand|Coat Rack|Shoe Cabinet|Footstool|Console Table|Bar Stool"
        ).split("|"),
        "colours": ("oak", "walnut", "white", "black", "grey", "green"),
        "sizes": (),
        "materials": ("solid oak", "walnut veneer", "birch", "steel", "bamboo", "pine", "velvet"),
        "weight": (2500, 48000),
        "extra": ("Assembly", ("Assembled", "15 minutes", "30 minutes", "60 minutes")),
    },
    "kitchen": {
        "name": "Kitchen",
        "options": {"colour": "select", "size": "select"},
        "price": (900, 24000),
        "nouns": (
            "Frying Pan|Saucepan|Casserole|Kettle|Teapot|Mixing Bowl|Chef Knife|Cutting Board|Coffee Grinder|"
            "Pepper Mill|Salad Bowl|Baking Dish|Measuring Jug|French Press|Bread Bin|Spice Rack"
        ).split("|"),
        "colours": ("red", "black", "white", "blue", "green", "sand"),
        "sizes": (),
        "materials": ("stainless steel", "cast iron", "stoneware", "glass", "beech", "enamel", "copper"),
        "weight": (200, 5200),
        "extra": ("Dishwasher safe", ("Yes", "No")),
    },
    "garden": {
        "name": "Garden",
        "options": {"colour": "select", "size": "select"},
        "price": (700, 42000),
        "nouns": (
            "Plant Pot|Watering Can|Garden Chair|Fire Bowl|Bird Feeder|Parasol|Raised Bed|Pruning Shears|Hammock|"
            "Planter|Wind Chime|Garden Bench|Hose Reel|Seed Tray|Trellis|Solar Light"
        ).split("|"),
        "colours": ("green", "grey", "sand", "black", "white", "red"),
        "sizes": ("Small", "Medium", "Large"),
        "materials": ("terracotta", "zinc", "teak", "recycled plastic", "steel", "acacia", "concrete"),
        "weight": (150, 22000),
        "extra": ("Frost proof", ("Yes", "No", "Down to -5 °C")),
    },
    "clothing": {
        "name": "Clothing",
        "options": {"colour": "select", "size": "radio"},
        "price": (1500, 26000),
        "nouns": (
            "Rain Jacket|Wool Sweater|T-Shirt|Cardigan|Overshirt|Fleece|Hoodie|Parka|Linen Shirt|Vest|Polo Shirt|"
            "Wind Jacket|Denim Jacket|Jumper|Raincoat|Sweatshirt"
        ).split("|"),
        "colours": ("navy", "black", "grey", "green", "red", "sand", "white"),
        "sizes": ("XS", "S", "M", "L", "XL"),
        "materials": ("organic cotton", "merino wool", "linen", "recycled polyester", "denim", "hemp"),
        "weight": (140, 1600),
        "extra": ("Care", ("Machine wash 30 °C", "Machine wash 40 °C", "Hand wash", "Dry clean")),
    },
    "audio": {
        "name": "Audio",
        "options": {"colour": "select", "size": "select"},
        "price": (2900, 62000),
        "nouns": (
            "Headphones|Earbuds|Bluetooth Speaker|Soundbar|Turntable|Shelf Speaker|Radio|Microphone|Amplifier|"
            "Portable Speaker|Studio Monitor|Headset|Party Speaker|Subwoofer|DAB Radio|Shower Speaker"
        ).split("|"),
        "colours": ("black", "white", "blue", "grey", "pink"),
        "sizes": (),
        "materials": ("aluminium", "recycled plastic", "walnut", "steel", "fabric"),
        "weight": (40, 7800),
        "extra": ("Battery life", ("Mains powered", "8 hours", "12 hours", "20 hours", "30 hours")),
    },
    "bags": {
        "name": "Bags",
        "options": {"colour": "radio", "size": "select"},
        "price": (1900, 32000),
        "nouns": (
            "Backpack|Tote Bag|Messenger Bag|Duffel Bag|Laptop Sleeve|Suitcase|Daypack|Shoulder Bag|Belt Bag|"
            "Weekender|Wash Bag|Camera Bag|Roll-top Pack|Cabin Case|Briefcase|Gym Bag"
        ).split("|"),
        "colours": ("black", "navy", "sand", "green", "red", "yellow"),
        "sizes": ("15 L", "25 L", "35 L"),
        "materials": ("canvas", "leather", "recycled nylon", "waxed cotton", "polycarbonate"),
        "weight": (200, 3900),
        "extra": ("Waterproof", ("Yes", "No", "Splash proof")),
    },
    "sports": {
        "name": "Sports",
        "options": {"colour": "radio", "size": "radio"},
        "price": (800, 46000),
        "nouns": (
            "Yoga Mat|Kettlebell|Skipping Rope|Bike Helmet|Tennis Racket|Running Belt|Foam Roller|Water Bottle|"
            "Dumbbell Set|Swim Goggles|Hiking Poles|Climbing Rope|Football|Basketball|Sleeping Bag|Two-person Tent"
        ).split("|"),
        "colours": ("blue", "black", "red", "green", "yellow", "pink"),
        "sizes": ("S", "M", "L"),
        "materials": ("natural rubber", "cork", "cast iron", "nylon", "carbon fibre", "polyester"),
        "weight": (80, 16000),
        "extra": ("Level", ("Beginner", "All levels", "Advanced")),
    },
}

FIRST_NAMES = (
    "Ada Aisha Alba Amir Anton Astrid Beatriz Ben Bo Bruno Carla Cedric Chloe Dana Daniel Dario Diego Dina Edith "
    "Elias Elif Emeka Emma Esra Fatima Felix Flora Freya Gita Greta Hana Hector Hugo Ida Ines Ivan Jamal Jana Joel "
    "Jonas Julia Kai Karim Kira Lars Laura Leila Leo Lina Luca Maja Malik Mara Marco Mei Mia Milan Mona Nadia Nils "
    "Nina Noah Nora Olga Omar Oscar Paula Pedro Petra Priya Quentin Rafael Rania Rosa Ruben Sami Sara Selma Simon "
    "Sofia Stefan Tara Theo Tilda Tomas Uma Vera Victor Wanda Yara Yusuf Zoe"
).split()

LAST_NAMES = (
    "Abadi Adler Ahmed Almeida Andersen Bakker Barros Becker Bianchi Blom Brandt Carvalho Castro Chen Costa Dahl "
    "Dietrich Dubois Eriksen Espinoza Farah Ferrari Fischer Fontaine Garcia Greco Haddad Hansen Hoffman Horvat Ito "
    "Ivanova Jansen Johansson Kaya Keller Khan Kowalski Larsen Laurent Lindgren Lopez Marino Martens Meyer Moreau "
    "Nakamura Navarro Nielsen Novak Okafor Olsen Ortega Patel Pereira Petrov Quist Ramos Reyes Ricci Rossi Sato "
    "Schmidt Silva Sorensen Suzuki Tanaka Torres Ueda Vargas Visser Weber Winter Yilmaz Young Zhang Zimmer"
).split()

STREET_NAMES = (
    "Abbey Acorn Baker Beech Bell Bridge Canal Castle Cedar Chapel Cherry Church Clay Cliff College Copper Dock "
    "Elm Farm Ferry Field Forest Fountain Garden Gate Glen Grange Harbour Hawthorn High Hill Holly Ivy Kiln King "
    "Lake Laurel Lime Magnolia Manor Maple Market Meadow Mill Moor North Oak Orchard Park Poplar Priory Quarry "
    "Queen Railway River Rose Saddler School Spring Station Stone Temple Thorn Tower Union Valley Vine Walnut Water "
    "Well West Willow Windmill York"
).split()

STREET_ENDS = ("Street", "Road", "Lane", "Avenue", "Close", "Way", "Court", "Terrace", "Square", "Drive")

CITY_STARTS = (
    "Ash Black Brad Bram Bright Carl Chest Clif Dun East Elm Fair Glen Green Hart Hazel Kings Lang Little Lock Mar "
    "Mid New North Oak Red Rock Sand Shel South Stan Stone Sutter Thorn Wake West White Win Wood"
).split()

CITY_ENDS = ("ford", "ton", "ham", "bury", "field", "mouth", "port", "stead", "well", "bridge", "worth", "haven")

COUNTRIES = ("United Kingdom", "Ireland", "France", "Germany", "Netherlands", "Spain", "Sweden", "United States")

ADDRESS_LABELS = ("Home", "Work", "Parents", "Holiday home", "Studio", "Grandma")

PASSWORD_WORDS = (
    "apple bridge candle dragon engine feather garden hammer island jacket kitten ladder marble needle orange pencil "
    "quiver rocket saddle tunnel umbrella velvet window yellow zipper"
).split()

COUPON_WORDS = "SPRING HELLO COSY FRESH LUCKY SUNNY MERRY BRIGHT CRISP HAPPY SWIFT GOLDEN MELLOW ROYAL NEAT".split()

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

# Review titles and sentences by number of stars.
REVIEW_TITLES = {
    5: ("Love it", "Perfect", "Could not be happier", "Worth every cent", "Excellent", "A joy to use"),
    4: ("Very good", "Nearly perfect", "Good value", "Pleased", "Recommended", "Solid choice"),
    3: ("It is fine", "Mixed feelings", "Decent", "Average", "Does the job", "So-so"),
    2: ("Disappointed", "Not great", "Expected more", "Below par", "Hmm", "Would not rebuy"),
    1: ("Sent it back", "Avoid", "Broke quickly", "Very poor", "Regret it", "Not as described"),
}

REVIEW_OPENINGS = {
    5: ("Better than the pictures", "Sturdy and lovely", "My favourite purchase this year", "Beautifully made"),
    4: ("Well made for the price", "Looks great", "Feels solid", "Nice quality"),
    3: ("Okay for the price", "Nothing special", "Works as expected", "Quality is uneven"),
    2: ("Feels cheap", "The finish is rough", "Smaller than I thought", "The colour is off"),
    1: ("Fell apart within a week", "Arrived damaged", "Nothing like the photos", "A waste of money"),
}

REVIEW_ENDINGS = {
    5: ("and it arrived early.", "and my friends want one too.", "after months of daily use.", "and so easy to clean."),
    4: ("though the box was dented.", "but delivery was slow.", "and simple to set up.", "only the manual is thin."),
    3: ("but I have seen better.", "and the smell took days to go.", "so keep the receipt.", "for occasional use."),
    2: ("and the help line was no use.", "so I would size up.", "for what it costs.", "after two weeks."),
    1: ("and I want a refund.", "so save your money.", "and nobody replied.", "right out of the box."),
}
