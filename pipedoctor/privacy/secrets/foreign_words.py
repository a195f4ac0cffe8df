"""*Password* in languages other than English, and the verbs that stand behind it."""

FOREIGN_PASSWORDS = (
    *("passwort", "kennwort", "mot de passe", "contraseña", "contrasenya", "senha"),
    *("palavra-passe", "parola d'ordine", "wachtwoord", "adgangskode", "kodeord", "passord"),
    *("lösenord", "salasana", "hasło", "heslo", "jelszó", "geslo", "lozinka", "zaporka"),
    *("parolă", "parool", "slaptažodis", "şifre", "kata sandi", "mật khẩu", "pasahitza"),
    *("пароль", "парола", "лозинка", "κωδικός", "συνθηματικό", "סיסמה", "סיסמא"),
    *("كلمة المرور", "كلمة السر", "رمز عبور", "पासवर्ड", "รหัสผ่าน"),
    *("密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호"),
)
"""In small letters; from the locales of CLDR and the prompts of glibc's and PAM's catalogues."""
FOREIGN_KEYS = (
    *("api-schlüssel", "chiave api", "clé api", "clave api", "clave de api", "chave de api"),
    *("klucz api", "ключ api", "api ключ", "токен", "ключ доступа", "令牌", "密钥", "金鑰"),
    *("秘密鍵", "apiキー", "トークン", "api 키", "토큰", "jeton", "zugangsschlüssel"),
)
"""What opens an interface or an account, in the same languages."""
FOREIGN_VERBS = (
    *("lautet", "ist", "war", "est", "était", "es", "era", "è", "é", "jest", "to", "je", "är"),
    *("er", "on", "este", "là", "adalah", "is", "είναι", "это"),
)
GLUED_VERBS = ("是", "为", "為", "は", "은", "는")
"""Behind a word without a space between."""


def list_spellings(words: tuple[str, ...]) -> tuple[str, ...]:
    """As they stand within a sentence, at its begin, and in a heading."""
    spellings: dict[str, None] = {}
    for word in words:
        for spelling in (word, word.capitalize(), word.upper(), word.title()):
            spellings[spelling.replace("Api", "API")] = None
        spellings[word.replace("api", "API")] = None
    return tuple(spellings)


FOREIGN_STATES = (
    r"(?:incorrect|inv[aá]lid|ung[uü]ltig|falsch|nicht|kein|zu|leer|abgelaufen|erforder|n[oö]tig|ge[aä]nder"
    r"|notwendig|obligat|pflicht|requ|oblig|expir|caduc|erron|errad|mauvais|manqu|n[eé]cess|vid|vac|trop"
    r"|muy|no|non|n[aã]o|pas|muito|troppo|sbagliat|scadut|corret|correct|richtig|gespeich|gesetzt|wie"
    r"|hier|dans|em|en|in|stored|is|not|een|niet|verkeerd|onjuist|verlopen|verplicht|fel|forkert|feil"
    r"|v[aä][aä]r|ikke|inte|err|b[lł]|niepraw|wym|neplat|[sš]patn|nespr|a|le|la|die|der|das|el|un|une|por|para)"
)
"""How words begin that say what is wrong with a password, not what it is."""
