import { errorTable } from './errors.ts'

// Of V8's, Node.js's and React's own messages, in the case in which they stand there: `Cannot read properties of undefined
// (reading 'price')`, `x is not a function`, `Unexpected token`. Words of fewer than six letters are never hidden.
const OF_THE_PLATFORM = `
  abstract accepts access accessor aborted addition address already annotation anonymous argument arguments arrays arrow
  assertion assign assigned assignment asynchronous attempt attempted available because before between bigint binding blocks
  boolean bottom boundary buffer bytes called calling cannot catch caused changed characters circular classes client closed
  closing command component configurable connect connection constant constructor contain contains content context control
  convert converting crypto declaration declared default define defined delete derived deserialize destructure destructured
  different digits directory document duplicate element elements encoding environment error errors escape exceed exceeded
  exception execute existing expect expected experimental export exports expression extensible failed failure fields finish
  finally finished fraction frozen function functions generator getter global handle handler handled header headers hidden
  hydrate hydration identifier ignored illegal implemented import indirect infinite initial initialization initialized
  initializer initialize inside instance instanceof instantiate instead integer internal invalid invoke invocation iterable
  iterate iterator iterators latest length letter lexical limit literal locale mapping margin matching maximum method methods
  minimum mismatch missing module modules months multiple native nested network nothing nullish number numbers object objects
  offset operand operands operation operator option options output outside parameter parameters params parent parsing
  password path pattern pending permission permitted position possible precision prefix present primitive private process
  promise promises properties property protocol prototype provide provided proxied received reading readonly reason reduce
  reference regular reject rejected rejection release removed render rendered rendering repeat replace request require
  required requires reserved resize resolve resolved resource response restricted result return returned returns revoked
  rewind schema script search second section serialize server setter setting should single socket source specified specifier
  spread stable stack started statement static status stream strict string strings structure subclass suffix support
  supported switch symbol symbols syntax system target template terminated thenable throws timeout timezone transfer trap
  trying twice undefined unescaped unexpected unhandled unicode unknown unparsable unsupported unterminated update valid
  values variable variables version virtual weight which window within without writable writing written yield
  Argument Arguments Array Assignment Bigint BigInt Boolean Buffer Cannot Class Classes Constructor Converting Delete Derived
  Duplicate Element Expected Exceeded Failed Function Generator Getter Hydration Illegal Import Incorrect Infinity Initial
  Invalid Iterator JavaScript Keyword Letter Malformed Maximum Method Minified Missing Module Nothing Number Object Objects
  Operation Parameter Private Promise Property Proxy Received Reduce Reflect RegExp Request Response Rest Result Server
  Setter Spread String Suspense Symbol TypeError Unexpected Unhandled Unknown Unsupported Unterminated Value Cannot
`

const LONG_WORD = /[A-Za-z]{6,}/g

/** Made when a visitor's word is first met in a message. */
let known: ReadonlySet<string> | null = null

/** Is it a word of the messages that Hydrant, Node.js, V8 or React write themselves? */
export function isMessageWord(word: string): boolean {
  known ??= new Set([
    ...wordsIn(OF_THE_PLATFORM),
    ...Object.values(errorTable).flatMap(({ message }) => wordsIn(message)),
  ])
  return known.has(word)
}

/** The words of source code, of six letters and more. */
export function wordsIn(text: string): readonly string[] {
  return text.match(LONG_WORD) ?? []
}
