"""Names of countries and of federal states, to recognise places among other names."""

from __future__ import annotations


def is_country(name: str) -> bool:
    """Return whether `name` is the usual English name of a country.

    >>> is_country("South Korea"), is_country("Ohio")
    (True, False)
    """
    return name in _COUNTRIES


def is_state(name: str) -> bool:
    """Return whether `name` is a state, province or Land of a large federal country.

    >>> is_state("Ohio"), is_state("Ontario"), is_state("Paris")
    (True, True, False)
    """
    return name in _STATES


def _parse_names(listed: str) -> frozenset[str]:
    return frozenset(name.strip() for name in listed.replace("\n", " ").split(",") if name.strip())


_COUNTRIES = _parse_names(
    """Afghanistan, Albania, Algeria, Andorra, Angola, Argentina, Armenia, Australia, Austria, Azerbaijan, Bahamas,
    Bahrain, Bangladesh, Barbados, Belarus, Belgium, Belize, Benin, Bhutan, Bolivia, Bosnia and Herzegovina, Botswana,
    Brazil, Brunei, Bulgaria, Burkina Faso, Burundi, Cambodia, Cameroon, Canada, Cape Verde, Chad, Chile, China,
    Colombia, Comoros, Congo, Costa Rica, Croatia, Cuba, Cyprus, Czech Republic, Czechia, Denmark, Djibouti, Dominica,
    Dominican Republic, Ecuador, Egypt, El Salvador, England, Eritrea, Estonia, Eswatini, Ethiopia, Fiji, Finland,
    France, Gabon, Gambia, Georgia, Germany, Ghana, Greece, Grenada, Guatemala, Guinea, Guyana, Haiti, Honduras,
    Hong Kong, Hungary, Iceland, India, Indonesia, Iran, Iraq, Ireland, Israel, Italy, Ivory Coast, Jamaica, Japan,
    Jordan, Kazakhstan, Kenya, Kuwait, Kyrgyzstan, Laos, Latvia, Lebanon, Lesotho, Liberia, Libya, Liechtenstein,
    Lithuania, Luxembourg, Madagascar, Malawi, Malaysia, Maldives, Mali, Malta, Mauritania, Mauritius, Mexico, Moldova,
    Monaco, Mongolia, Montenegro, Morocco, Mozambique, Myanmar, Namibia, Nepal, Netherlands, New Zealand, Nicaragua,
    Niger, Nigeria, North Korea, North Macedonia, Northern Ireland, Norway, Oman, Pakistan, Panama, Papua New Guinea,
    Paraguay, Peru, Philippines, Poland, Portugal, Qatar, Romania, Russia, Rwanda, Samoa, San Marino, Saudi Arabia,
    Scotland, Senegal, Serbia, Seychelles, Sierra Leone, Singapore, Slovakia, Slovenia, Somalia, South Africa,
    South Korea, South Sudan, Soviet Union, Spain, Sri Lanka, Sudan, Suriname, Sweden, Switzerland, Syria, Taiwan,
    Tajikistan, Tanzania, Thailand, Togo, Tonga, Trinidad and Tobago, Tunisia, Turkey, Turkmenistan, Uganda, Ukraine,
    United Arab Emirates, United Kingdom, UK, United States, United States of America, USA, U.S, US, Uruguay,
    Uzbekistan, Vanuatu, Vatican City, Venezuela, Vietnam, Wales, Yemen, Zambia, Zimbabwe"""
)
_STATES = _parse_names(
    """Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida, Georgia, Hawaii, Idaho,
    Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan, Minnesota,
    Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York, North Carolina,
    North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee, Texas,
    Utah, Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming, Alberta, British Columbia, Manitoba,
    New Brunswick, Newfoundland and Labrador, Nova Scotia, Ontario, Quebec, Saskatchewan, New South Wales, Queensland,
    South Australia, Tasmania, Victoria, Western Australia, Bavaria, Hesse, Saxony, Brandenburg, Thuringia, Andhra Pradesh, Assam,
    Bihar, Gujarat, Haryana, Karnataka, Kerala, Madhya Pradesh, Maharashtra, Odisha, Punjab, Rajasthan, Tamil Nadu,
    Telangana, Uttar Pradesh, West Bengal, Sonora, Jalisco, Chiapas, Yucatán, São Paulo, Bahia"""
)
