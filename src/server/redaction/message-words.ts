import { errorTable } from '../errors/error-table.ts'
import { reactErrors } from '../errors/react-errors.ts'

// Words of the messages of V8, Node.js and React, in their case: `Cannot read properties of undefined (reading
// 'price')`, `x is not a function`, `Unexpected token`. Words of fewer than six letters are never hidden.
const PLATFORM_WORDS = `
  aborted abstract accepts access accessor addition address allocation already annotation anonymous argument arguments
  arrays assertion assign assigned assignment asynchronous attempt attempted available awaited because before between
  bigint binding blocks boolean bottom boundary buffer callback called calling cancel cancelled cannot caused
  certificate changed characters circular classes client closed closing command component components configurable
  connect connection constant constructor contain contains content context control convert converting crypto declaration
  declared decode decoded default define defined delete deprecated derived deserialize destroyed destructure
  destructured different digits directory document duplicate element elements encoded encoding environment errors escape
  exceed exceeded exception execute existing expect expected experimental export exports expression extensible failed
  failure fields finally finish finished fraction frozen function functions generator getter global handle handled
  handler header headers hostname hydrate hydration identifier ignored illegal implemented import indirect infinite
  initial initialization initialize initialized initializer inside instance instanceof instantiate instead integer
  internal invalid invocation invoke iterable iterate iterator iterators latest length letter lexical listener listeners
  literal locale lookup malformed matching maxBuffer maximum memory method methods minimum mismatch missing module
  modules multiple native nested network nothing nullish number numbers object objects offset operand operands operation
  operator option options output outside parameter parameters params parent parsing password pattern pending permission
  permitted position possible precision prefix present primitive private process promise promises properties property
  protocol prototype provide provided proxied reached readable reading readonly reason received reduce reference refused
  regular reject rejected rejection release removed render rendered rendering repeat replace request require required
  requires reserved resolve resolved resource response restricted result return returned returns revoked schema script
  search second section serialize server setter setting should single socket source specified specifier spread stable
  started statement static status stream strict string strings structure subclass suffix support supported suspend
  suspended switch symbol symbols syntax system target template terminated thenable throwing thrown throws timeout
  transfer undefined unescaped unexpected unhandled unicode unknown unparsable unsupported unterminated update values
  variable variables version virtual whether window within without writable writing written
  Argument Arguments Assignment BigInt Boolean Buffer Cannot Classes Constructor Converting Delete Derived Duplicate
  Element Exceeded Expected Failed Function Generator Getter Hydration Illegal Import Incorrect Infinity Initial Invalid
  Iterator JavaScript Malformed Maximum Method Minified Missing Module Nothing Number Object Objects Operation Parameter
  Private Promise Property Received Reduce Reflect RegExp Request Response Result Server Setter Spread String Suspense
  Symbol TypeError Unexpected Unhandled Unknown Unsupported Unterminated
`

const LONG_WORD = /[A-Za-z]{6,}/g

/** Created when a visitor's word first occurs in a message. */
let messageWords: ReadonlySet<string> | null = null

/** Returns true for a word that occurs in the messages of Hydrant, Node.js, V8 or React. */
export function isMessageWord(word: string): boolean {
  messageWords ??= new Set([
    ...wordsIn(PLATFORM_WORDS),
    ...Object.values(errorTable).flatMap(({ message }) => wordsIn(message)),
    ...Object.values(reactErrors).flatMap(wordsIn),
  ])
  return messageWords.has(word)
}

/** Returns the words of a text or of source code that have at least six letters. */
export function wordsIn(text: string): readonly string[] {
  return text.match(LONG_WORD) ?? []
}
