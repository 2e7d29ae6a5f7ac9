"""Parse e-mail messages: as sent over the Internet, and as Outlook saves them."""
