/** A part of a text: `from` is the index of its first character, `to` the index after its last one. */
export interface Span {
  from: number
  to: number
}

/** Shorter values (`a`, `1`, `dark`) are not secrets. Removing them would hide half of every message. */
export const LEAST_SECRET_LENGTH = 6

/** Numbers of a secret name that have at least this many digits are secrets, such as a PIN. */
export const LEAST_DIGITS = 4

/** Returns the values of at least `LEAST_SECRET_LENGTH` characters, without duplicates. */
export function longEnough(values: readonly string[]): string[] {
  if (values.length === 0) return []
  return [...new Set(values)].filter(({ length }) => length >= LEAST_SECRET_LENGTH)
}

const SECRET_PART =
  /pass|pwd|secret|token|auth(?!or(?!i))|session|sess[-_.]?id|credential|signature|jwt|(?:api|access|private|master|subscription|signing|encryption|shared)[-_.]?key/i

/** Words for a password in other languages that do not contain `pass`, and that no other name contains. */
const PASSWORD =
  /kennwort|losungswort|contrase(?:n|ñ|ny)a|wachtwoord|l(?:o|ö)senord|adgangskode|kodeord|salasana|lozinka|пароль|密码|密碼|パスワード|비밀번호/i

/** Codes that only one person knows: of a second factor, in a letter, on a card. `zip_code` is none. */
const SECRET_CODE =
  /(?:mfa|otp|pin|sms|verif(?:y|ication)|confirm(?:ation)?|security|recovery|backup|login|sign[-_. ]?in|one[-_. ]?time|two[-_. ]?factor|activation|reset)[-_. ]?code/i

/** `key`, `user[code]`, `a.sig`, but not `sort_key`. */
const SECRET_SEGMENT = /(?<![\w-])(?:key|code|sig|sid)(?![\w-])/i

/** `parola chiave` is a word to search for. */
const SECRET_WORDS =
  '[ht]?otp|pin|mfa|[2t]fa|cv[vc]|pw|mdp|senha|parola(?![-_. ]?chiave)|heslo|has(?:l|ł)o|jelsz(?:o|ó)|(?:s|ş)ifre'
/** `otp`, `new_pin`, `pin2`, `pw`, `senha`, but not `shipping`, `option`, `pinned`, `chosenHandle`. */
const SECRET_WORD = new RegExp(`(?<![a-z])(?:${SECRET_WORDS})(?![a-z])`, 'i')

const CAMEL_CASE = /(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g

/** Separates the words of a name in camel case: `userPin` becomes `user_Pin`, `OTPValue` becomes `OTP_Value`. */
export function separateWords(name: string): string {
  return name.replace(CAMEL_CASE, '_')
}

/** Matches each text that holds a secret name which is not encoded, and few others. */
export const SECRET_NAME_HINT = new RegExp(
  `${SECRET_PART.source}|${PASSWORD.source}|code|key|sig|sid|${SECRET_WORDS}`,
  'i',
)

/** Returns true when the name of a query parameter, form field or JSON property means a secret. Takes linear time. */
export function isSecretName(name: string): boolean {
  return (
    SECRET_PART.test(name) ||
    PASSWORD.test(name) ||
    SECRET_CODE.test(name) ||
    SECRET_SEGMENT.test(name) ||
    SECRET_WORD.test(name) ||
    SECRET_WORD.test(separateWords(name))
  )
}
