"""Help and contact: opening hours, what delivery costs, questions and answers, a message to the shop."""

from __future__ import annotations

import random
from typing import ClassVar

from harness.page.action import Click, Select, Type
from harness.page.snapshot import Snapshot
from harness.tasks.evaluate import Change
from harness.tasks.task import Draw, Oracle, Template, World
from sites.shop import words
from sites.shop.tasks import draws, steps
from sites.shop.tasks.orders import pick_order


class OpeningHours(Template):
    """A row of a table."""

    name = "opening_hours"
    phrasings = (
        "What are the shop's opening hours on {day}?",
        "I want to visit the store on {day}. Which hours does the help page give for that day?",
        "Look up the hours of {day}.",
        "Tell me when the store is open on {day}, as the help page puts it.",
    )
    max_turns = 5

    def draw(self, world: World, rng: random.Random) -> Draw:
        entry = rng.choice(world["shop"]["hours"])
        return Draw({"day": entry["day"]}, answer=entry["hours"])

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_footer(page, "Help and delivery")
        yield steps.answer(page, draw)


class DeliveryFact(Template):
    """A cell of another table."""

    name = "delivery_fact"
    phrasings = (
        "According to the help page, what is the {column} of {way} delivery?",
        "Look in the delivery table of the help page: which {column} does {way} have?",
        "For {way} as the way of delivery, tell me the {column}.",
    )
    max_turns = 5

    def draw(self, world: World, rng: random.Random) -> Draw:
        way = rng.choice(world["shop"]["delivery"])
        column = rng.choice(("Time", "Price"))
        price = draws.money(way["price"]) if way["price"] else "Free"
        return Draw({"way": way["name"], "column": column}, answer=price if column == "Price" else way["time"])

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_footer(page, "Help and delivery")
        yield steps.answer(page, draw)


class HelpQuestion(Template):
    """An answer that is folded away under its question."""

    name = "help_question"
    phrasings = (
        "Find out from the shop's help: {fact}",
        "I have a question for the shop. {fact}",
        "{fact} Look it up under questions and answers.",
    )
    max_turns = 7
    RETURNS = "How long do I have to return something?"
    EXPRESS = "Until when must I order for express delivery?"
    WRAPPING = "Do you wrap gifts?"

    def draw(self, world: World, rng: random.Random) -> Draw:
        facts = world["shop"]["help"]
        question, fact, answer = rng.choice(
            (
                (self.RETURNS, "Within how many days can I return something unused?", str(facts["returnDays"])),
                (
                    self.RETURNS,
                    "When I return something, within how many working days is it refunded?",
                    str(facts["refundDays"]),
                ),
                (
                    self.EXPRESS,
                    "Before what time must I order so that express delivery leaves the same day?",
                    facts["cutOff"],
                ),
                (self.WRAPPING, "How much does it cost to wrap gifts, per piece?", draws.money(facts["giftWrap"])),
            )
        )
        return Draw({"fact": fact}, answer=answer, extra={"question": question})

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_footer(page, "Help and delivery")
        page = yield Click(steps.one(page, "button", draw.extra["question"]))
        yield steps.answer(page, draw)


class ContactMessage(Template):
    """A message about an order."""

    name = "contact_message"
    phrasings = (
        "Write to the shop about order {order}, topic “{topic}”: “{text}”",
        "Use the contact form with the topic “{topic}” and the order number {order}. The message is “{text}”",
        "Send the message “{text}” to the shop. Choose the topic “{topic}” and give the order number {order}.",
    )
    max_turns = 11
    TEXTS: ClassVar[dict[str, tuple[str, ...]]] = {
        "Delivery": ("The parcel has not arrived yet.", "The box was left in the rain.", "Please deliver after 17:00."),
        "Return or refund": (
            "I would like to return one item.",
            "When do I get my money back?",
            "One part is missing.",
        ),
        "Payment": ("I was charged twice for this.", "Please send me an invoice.", "My card was refused at first."),
    }
    ENDINGS = ("Please call me.", "Please answer by email.", "Thank you.", "It is urgent.", "There is no hurry.")

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, _ = pick_order(world, rng)
        topic = rng.choice(list(self.TEXTS))
        text = f"{rng.choice(self.TEXTS[topic])} {rng.choice(self.ENDINGS)} {rng.choice(words.FIRST_NAMES)}"
        message = {"topic": topic, "order": key, "text": text, "email": world["state"]["session"]["user"]}
        return Draw({"order": key[1:], "topic": topic, "text": text}, changes=(Change("/messages/m1", message),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_footer(page, "Contact us")
        page = yield Select(steps.one(page, "combobox", "Topic"), draw.params["topic"])
        page = yield Type(steps.one(page, "textbox", "Order number (optional)"), draw.params["order"])
        page = yield Type(steps.one(page, "textbox", "Message"), draw.params["text"])
        page = yield Click(steps.one(page, "button", "Send message"))
        yield steps.answer(page, draw)
