"""The tasks of the shop: what is asked, how it is scored, and an oracle that solves each.

Held out, never trained on: compositions and relatives of the templates that are.
"""

from __future__ import annotations

from harness.tasks.task import Template
from sites.shop.tasks import account, addresses, cart, catalogue, checkout, compare, orders, products, service, wishes

TEMPLATES: tuple[Template, ...] = (
    catalogue.DealPrice(),
    catalogue.ProductPrice(),
    catalogue.ProductSpec(),
    catalogue.SearchCount(),
    catalogue.BrandCount(),
    catalogue.CheapestPrice(),
    catalogue.ReviewStars(),
    catalogue.DearestOfBrand(),
    products.AddToCart(),
    products.AddSeveral(),
    products.AddWithOptions(),
    products.CheapestToCart(),
    compare.CompareDeal(),
    compare.CompareTwo(),
    compare.CompareAnswer(),
    wishes.WishlistAdd(),
    wishes.PagedCategory(),
    wishes.DearestBelow(),
    wishes.WishlistRemove(),
    wishes.WishlistToCart(),
    wishes.WishWithOptions(),
    cart.CartTotal(),
    cart.ChangeQuantity(),
    cart.RemoveFromCart(),
    cart.ApplyCoupon(),
    checkout.CheckoutSaved(),
    checkout.GuestCheckout(),
    orders.OrderStatus(),
    orders.OrderTotal(),
    orders.OrderPayment(),
    orders.OrderDelivery(),
    orders.CancelOrder(),
    orders.Reorder(),
    orders.ReorderWithCoupon(),
    account.SignIn(),
    account.SignOut(),
    account.UpdatePhone(),
    account.Newsletter(),
    account.ChangePassword(),
    account.SignInPhone(),
    addresses.AddAddress(),
    addresses.EditAddress(),
    addresses.SetDefaultAddress(),
    addresses.DeleteAddress(),
    service.OpeningHours(),
    service.DeliveryFact(),
    service.HelpQuestion(),
    service.ContactMessage(),
)
