"""Signing in and out, and the profile: phone, newsletter, password."""

from __future__ import annotations

import random

from harness.page.action import Check, Click, Type
from harness.page.snapshot import Snapshot
from harness.tasks.evaluate import Change
from harness.tasks.task import Draw, Oracle, Template, World
from sites.shop import words
from sites.shop.tasks import draws, steps


def save_phone(page: Snapshot, phone: str) -> steps.Steps:
    """On the profile page: another phone number."""
    page = yield Type(steps.one(page, "textbox", "Phone"), phone)
    return (yield Click(steps.one(page, "button", "Save")))


class SignIn(Template):
    """From a guest to a customer."""

    name = "sign_in"
    phrasings = (
        "Sign in with the email {email} and the password {password}.",
        "Log me in: my email is {email}, my password is {password}.",
        "I am {email}. Sign in to my account; {password} is the password.",
        "Use {email} and {password} to sign in to the shop.",
    )
    max_turns = 10

    def draw(self, world: World, rng: random.Random) -> Draw:
        account = world["state"]["account"]
        return Draw(
            {"email": account["email"], "password": account["password"]},
            changes=(Change("/session/user", account["email"]),),
            guest=True,
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.sign_in(page, draw.params["email"], draw.params["password"])
        yield steps.answer(page, draw)


class SignOut(Template):
    """And back."""

    name = "sign_out"
    phrasings = (
        "Sign out of my account.",
        "I am done here, log me out.",
        "Please end my session: sign out.",
        "Others use this computer too, so sign me out of the shop.",
    )
    max_turns = 7

    def draw(self, world: World, rng: random.Random) -> Draw:
        return Draw({}, changes=(Change("/session/user", None),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_tool(page, "My account")
        page = yield Click(steps.one(page, "button", "Sign out"))
        yield steps.answer(page, draw)


class UpdatePhone(Template):
    """One field of the profile."""

    name = "update_phone"
    phrasings = (
        "Change the phone number in my profile to {phone}.",
        "I have a new phone: {phone}. Update my profile.",
        "Save {phone} as the phone of my account.",
        "My profile shows an old phone number. Replace it with {phone}.",
    )
    max_turns = 10

    def draw(self, world: World, rng: random.Random) -> Draw:
        phone = draws.new_phone(rng)
        return Draw({"phone": phone}, changes=(Change("/account/phone", phone),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_account(page, "Profile")
        page = yield from save_phone(page, draw.params["phone"])
        yield steps.answer(page, draw)


class Newsletter(Template):
    """A check box, whichever way it stands."""

    name = "newsletter"
    phrasings = (
        "In my profile, turn the newsletter {state}.",
        "Switch the newsletter {state} for my account.",
        "The newsletter should be {state} from now on. Save that in my profile.",
    )
    max_turns = 10

    def draw(self, world: World, rng: random.Random) -> Draw:
        wanted = not world["state"]["account"]["newsletter"]
        return Draw(
            {"state": "on" if wanted else "off"},
            changes=(Change("/account/newsletter", wanted),),
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_account(page, "Profile")
        page = yield Check(steps.one(page, "checkbox", "Send me the newsletter"), draw.params["state"] == "on")
        page = yield Click(steps.one(page, "button", "Save"))
        yield steps.answer(page, draw)


class ChangePassword(Template):
    """Three fields, two of them with the same value."""

    name = "change_password"
    phrasings = (
        "Change my password from {old} to {new}.",
        "My password is {old}. Make it {new} instead.",
        "Set the new password {new} for my account; the current password is {old}.",
        "Replace my current password {old} with {new}.",
    )
    max_turns = 13

    def draw(self, world: World, rng: random.Random) -> Draw:
        new = "-".join(rng.sample(words.PASSWORD_WORDS, 2)) + f"-{rng.randint(100, 999)}"
        params = {"old": world["state"]["account"]["password"], "new": new}
        return Draw(params, changes=(Change("/account/password", new),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        old, new = draw.params["old"], draw.params["new"]
        page = yield from steps.open_account(page, "Profile")
        values = [("Current password", old), ("New password", new), ("Repeat new password", new)]
        page = yield from steps.fill(page, values)
        page = yield Click(steps.one(page, "button", "Change password"))
        yield steps.answer(page, draw)


class SignInPhone(Template):
    """Signing in and a change of the profile together."""

    name = "sign_in_phone"
    heldout = True
    phrasings = (
        "Sign in as {email} with the password {password} and change the phone number in the profile to {phone}.",
        "Log in (email {email}, password {password}), then save {phone} as my phone.",
        "My new phone number is {phone}. Sign in with {email} and {password}, and update my profile.",
    )
    max_turns = 14

    def draw(self, world: World, rng: random.Random) -> Draw:
        account, phone = world["state"]["account"], draws.new_phone(rng)
        return Draw(
            {"email": account["email"], "password": account["password"], "phone": phone},
            changes=(Change("/session/user", account["email"]), Change("/account/phone", phone)),
            guest=True,
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.sign_in(page, draw.params["email"], draw.params["password"])
        page = yield Click(steps.one(page, "link", "Profile", "Account"))
        page = yield from save_phone(page, draw.params["phone"])
        yield steps.answer(page, draw)
