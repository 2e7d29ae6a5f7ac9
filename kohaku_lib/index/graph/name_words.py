"""Words that tell the type of a name: kinds of things, heads of names, titles, given names and well-known places."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kohaku_lib.text.countries import is_country, is_state
from kohaku_lib.text.word_lists import words

PERSON, ORGANIZATION, LOCATION, PRODUCT = "PERSON", "ORGANIZATION", "LOCATION", "PRODUCT"
TECHNICAL_TERM, OTHER = "TECHNICAL_TERM", "OTHER"


def type_of_noun(noun: str) -> str | None:
    """Return the type of what a common noun names, in the singular or plural; None if the noun tells nothing.

    >>> type_of_noun("pianist"), type_of_noun("rivers"), type_of_noun("film"), type_of_noun("idea")
    ('PERSON', 'LOCATION', 'OTHER', None)
    """
    word = noun.lower().rpartition("-")[2]
    for form in (word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word)):
        if form in _NOUNS:
            return _NOUNS[form]
    return PERSON if _OCCUPATION.search(word) else None


def type_of_head(word: str) -> str | None:
    """Return the type of a name by its main word, such as "Workshop" or "River"; None if that tells nothing."""
    return _HEADS.get(word)


def is_place(name: str) -> bool:
    """Return whether this is the usual name of a country, a federal state, a continent or a very large city."""
    return is_country(name) or is_state(name) or name in _PLACES


def _by_word(listed: Mapping[str, str]) -> dict[str, str]:
    return {word: kind for kind, own in listed.items() for word in own.split()}


def _listed(names: str) -> frozenset[str]:
    return frozenset(name.strip() for name in names.replace("\n", " ").split(",") if name.strip())


_OCCUPATION = re.compile(
    r"[a-z]{3}(?:ologist|ographer|ician|wright|smith|keeper|player)$|(?:pian|violin|guitar|art|journal)ist$"
)
_NOUNS = _by_word(
    {
        PERSON: """person man woman boy girl author writer researcher scientist actor actress singer songwriter musician
        composer artist painter sculptor director producer president vice-president chancellor minister secretary senator
        governor mayor politician king queen emperor empress prince princess duke duchess lord bishop archbishop pope saint
        economist physicist chemist biologist mathematician historian philosopher architect engineer inventor founder
        cofounder drummer bassist saxophonist clarinetist trumpeter vocalist rapper poet novelist journalist reporter editor
        critic general admiral captain colonel commander officer soldier chairman chairwoman ceo leader chief manager coach
        trainer goalkeeper midfielder defender defenseman footballer player driver racer boxer wrestler swimmer champion
        head husband wife father mother son daughter brother sister uncle aunt nephew niece cousin grandson granddaughter friend
        colleague professor teacher lecturer student lawyer attorney judge justice doctor nurse surgeon dentist psychologist
        designer developer curator inspector resident guest host activist banker businessman businesswoman entrepreneur
        merchant explorer missionary monk martyr comedian dancer model-maker narrator screenwriter filmmaker presenter
        spokesman spokeswoman spokesperson administrator immigrant detective knight baron count heir successor predecessor
        archduke archduchess stylist blogger maintainer apprentice printer carpenter pupil nobleman statesman diplomat""",
        ORGANIZATION: """company corporation firm manufacturer maker startup subsidiary publisher label studio band group trio
        quartet orchestra choir team club league association federation union organisation organization agency authority
        commission committee council ministry department bureau university college school academy institute institution
        laboratory foundation charity society party government parliament senate court church bank insurer airline railway
        retailer supermarket brewery newspaper-publisher broadcaster station channel network provider vendor supplier
        workshop army navy regiment police consortium alliance cartel chain conglomerate nonprofit ngo franchise brand
        shipyard operator employer shareholder""",
        LOCATION: """city town village hamlet municipality township borough district county parish province state region
        territory country nation kingdom republic island peninsula archipelago continent river stream creek lake sea ocean
        bay gulf strait mountain mount hill valley desert forest plain plateau coast beach cape harbour harbor port
        neighbourhood neighborhood suburb street road avenue highway square park garden reserve site place location settlement
        community gmina voivodeship prefecture canton commune capital castle palace fort fortress monastery abbey cathedral
        temple tower bridge building house hall stadium arena airport museum theatre theater cemetery tributary glacier
        volcano cave nightclub casino hotel resort facility area comune colony""",
        PRODUCT: """software program library framework toolkit app application platform device processor accelerator chip gpu
        cpu laptop phone smartphone computer car aircraft airplane helicopter rifle pistol tank ship ironclad frigate
        submarine locomotive engine console chatbot model dataset benchmark browser database""",
        TECHNICAL_TERM: """algorithm metric protein gene receptor enzyme kinase hormone antibody peptide pathway molecule
        allele mutation isoform ligand cytokine""",
        OTHER: """film movie song album ep opera play novel book poem series episode show documentary musical magazine
        newspaper journal award prize medal war battle festival tournament championship cup contest game season language
        dialect religion genus species family order breed disease virus dance genre character concept theory law case
        soundtrack sitcom anime manga comic painting sculpture symphony concerto ballad track video holiday day ceremony
        dynasty people tribe surname name word term title phrase""",
    }
)
_HEADS = _by_word(
    {
        LOCATION: """Valley River Creek City County Island Islands Mountain Mountains Mount Sea Ocean Lake Lakes States
        Republic Province Bay Gulf Peninsula Park Forest Beach Coast Hill Hills Street Avenue Road Boulevard Square Bridge
        Tower Castle Palace Stadium Arena Airport Station Harbour Harbor Port Township Village Town Borough Parish District
        Prefecture Voivodeship Territory Kingdom Delta Canal Falls Springs Heights Basin Plateau Desert Cape Strait Highway
        Building House Hall Cathedral Abbey Monastery Temple Cemetery Garden Gardens Museum Library Theatre Theater Hotel
        Resort Casino Wall Site Sanctuary Reserve Glen Grove Fort Fortress Gallery Zoo""",
        ORGANIZATION: """Research Labs Lab Cloud University College Institute Foundation Association Society Union Company
        Group Bank League Club Party Council Committee Ministry Department Records Workshop Workshops Studio Studios
        Laboratory Laboratories School Academy Federation Corporation
        Agency Authority Commission Bureau Board Court Senate Congress Parliament Representatives Commons Assembly Army Navy
        Force Police Church Orchestra Quartet Trio Band Choir Ensemble Team Press Publishers Publishing Pictures Films
        Entertainment Productions Media Broadcasting Airlines Airways Motors Industries Systems Technologies Solutions
        Services Holdings Partners Ventures Capital Insurance Hospital Clinic Center Centre Consortium Alliance Network
        Organization Organisation Museums Trust Fund Office Government Administration Service Forum Brewery Railway
        Hotels United Rovers Resorts Semiconductor Pharmaceuticals Chamber Guild Cooperative
        Institution Embassy Secretariat Brothers Sons""",
        TECHNICAL_TERM: """Learning Network Networks Model Models Processing Energy Power Carbon Data Training Inference
        Attention Effectiveness Emission Emissions Intelligence GPU GPUs TPU TPUs Computing Footprint Intensity
        Algorithm Method Regression Optimization Consumption Usage Efficiency""",
        OTHER: """War Wars Award Awards Prize Series Cup Championship Championships Olympics Festival Contest Fame Games
        Revolution Battle Dynasty Officer Director President
        Manager Chairman Minister Secretary Counsel Chief Day Book Books Song Album Tour Chart Calendar""",
    }
)
TITLES = words(
    """Dr Dr. Mr Mr. Mrs Mrs. Ms Ms. Prof Prof. Professor President Senator Governor Mayor King Queen Prince
    Princess Archduke Archduchess Duke Duchess Emperor Empress Pope Bishop Archbishop Cardinal Lord Lady Sir
    Dame Captain Colonel Admiral Lieutenant Sergeant Chancellor Judge Countess Baron Baroness Abbé Saint Rabbi
    Sheikh Sultan Tsar Ambassador"""
)
SUFFIXES = words("Inc Corp Corporation Ltd LLC LLP GmbH Co plc PLC AG SE B.V N.V S.A S.p.A Bros")
# Common in many countries; a list of all would hold every other word too.
GIVEN_NAMES = words(
    """Aaron Adam Ada Adrian Ahmed Alan Albert Alexander Alfred Ali Alice Allen Amy Ana Anders André Andrea Andreas
    Andrew Angela Anita Ann Anna Anne Anthony Anton Antonio Arthur Barbara Ben Benjamin Bernard Bill Bob Brian
    Bruce Carl Carlos Carol Caroline Catherine Charles Charlotte Chloe Chris Christian Christine Christopher
    Claire Claude Daniel David Deborah Dennis Diana Diego Dmitri Donald Dorothy Douglas Edward Elena Eleanor
    Elisabeth Elizabeth Emily Emma Eric Erik Ernest Eugène Eva Fatima Felix Francesco Francis Frank Franz
    François Fred Frederick Friedrich Gary George Georg Gilbert Giovanni Giuseppe Gordon Grace Greg Guy Hannah
    Hans Harold Harry Heinrich Helen Helena Henri Henry Herbert Howard Hugh Ian Ida Ingrid Irene Isaac Isabel
    Ivan Jack Jacob Jacques James Jan Jane Janet Jason Jean Jeff Jeffrey Jennifer Jeremy Jerry Jessica Jim Joan
    Joe Johan Johann Johannes John Jonathan José Josef Joseph Juan Julia Julian Karen Kari Karl Kate Katherine
    Keith Kelly Kenneth Kevin Klaus Kristina Larry Laura Lars Lee Leo Leon Leonard Leopold Lewis Linda Lisa
    Louis Louise Lucas Lucy Ludwig Luis Lukas Luke Maria Marie Mark Martha Martin Mary Matthew Max Michael
    Michel Miguel Mike Mikhail Mohamed Mohammed Muhammad Nancy Nicholas Nicole Nikola Nikolai Nina Noah Oliver
    Oscar Otto Pablo Patricia Patrick Paul Paula Pedro Peter Philip Pierre Rachel Ralph Raymond Rebecca Richard
    Robert Roger Roland Ronald Rosa Roy Ruth Ryan Sam Samuel Sandra Sara Sarah Scott Sean Sergei Simon Sofia
    Sophie Stanley Stefan Stephen Steve Steven Stuart Susan Sven Teresa Theodor Theodore Thomas Tim Timothy Tom
    Tomas Tony Ursula Victor Viktor Vincent Vladimir Walter Wilhelm William Wolfgang Yusuf"""
)
_PLACES = _listed(
    """Europe, Asia, Africa, America, North America, South America, Central America, Latin America, Antarctica, Oceania,
    Southeast Asia, Middle East, Atlantic, Pacific, Mediterranean, Baltic, Caribbean, West Indies, London, Paris, Berlin,
    Tokyo, Beijing, Shanghai, Moscow, Madrid, Barcelona, Rome, Milan, Vienna, Amsterdam, Brussels, Copenhagen, Stockholm,
    Oslo, Helsinki, Warsaw, Prague, Budapest, Athens, Lisbon, Dublin, Zurich, Geneva, Hamburg, Munich, Cologne,
    Frankfurt, Istanbul, Cairo, Lagos, Nairobi, Johannesburg, Mumbai, Delhi, New Delhi, Bangkok, Jakarta, Manila, Seoul,
    Osaka, Sydney, Melbourne, Toronto, Montreal, Vancouver, New York City, Manhattan, Brooklyn, Los Angeles, Hollywood,
    San Francisco, San Diego, Chicago, Houston, Dallas, Boston, Seattle, Philadelphia, Detroit, Atlanta, Miami, Denver,
    Phoenix, Las Vegas, New Orleans, Washington, D.C, Mexico City, Buenos Aires, Rio de Janeiro, Lima, Bogotá, Santiago,
    Great Britain, Britain, U.S., U.S.A., U.K., Palestine, Tuscany, Sicily, Siberia, Scandinavia, Himalaya, Himalayas,
    Alps, Danube, Rhine, Thames, Nile, Amazon River"""
)
ORGANIZATIONS = words(
    """BBC NASA FBI CIA NATO UNESCO UNICEF FIFA UEFA IBM CNN NBC CBS ABC HBO MTV MIT EU UN IMF OECD IEEE ACM ISO
    NBA NFL NHL MLB NCAA CERN BMW SAP Google Amazon Microsoft Meta OpenAI NVIDIA Nvidia Intel Toyota Volkswagen
    Siemens Samsung Sony Apple Facebook Twitter YouTube Netflix Boeing Airbus DeepMind Tesla Oracle Congress
    Parliament"""
)
