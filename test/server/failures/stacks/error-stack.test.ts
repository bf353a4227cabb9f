import { runInThisContext } from 'node:vm'
import t from 'tap'
import { readStack } from '../../../../src/server/failures/stacks/stack-frame.ts'

const SITE = '/shop/.hydrant/server/index.mjs'
const REACT = '/shop/node_modules/react-dom/cjs/react-dom-server.js'
const LIBRARY = '/shop/node_modules/grid/index.js'
/** A frame of a function of this file, in V8's format. */
const TEST = 'read-stack.test'

/** Returns what the function of the first file throws. The function of each other file calls the one before it. */
function throwFrom(...files: readonly string[]): Error {
  const [first, ...callers] = files
  let call: unknown = runInThisContext("() => { throw new Error('it fails') }", { filename: first ?? '' })
  for (const filename of callers) call = compile('(inner) => () => inner()', filename)(call)
  try {
    if (typeof call === 'function') call()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('nothing was thrown')
}

function compile(text: string, filename: string): (inner: unknown) => unknown {
  const made: unknown = runInThisContext(text, { filename })
  if (typeof made !== 'function') throw new Error('not a function')
  return (inner) => made(inner)
}

/** Returns the files in a stack, without this test. */
function filesIn(stack: unknown): string[] {
  const files = [...String(stack).matchAll(/\(?([^\s()]+):\d+:\d+\)?$/gm)].map(([, file = '']) => file)
  return files.filter((file) => !file.includes(TEST))
}

t.test('a stack ends where React called the site', async (t) => {
  t.strictSame(filesIn(readStack(throwFrom(SITE, REACT, SITE, LIBRARY))), [SITE])
  t.strictSame(filesIn(readStack(throwFrom(LIBRARY, SITE, REACT, REACT))), [LIBRARY, SITE])
  t.strictSame(filesIn(readStack(throwFrom(SITE, LIBRARY, SITE, REACT))), [SITE, LIBRARY, SITE])
  t.match(readStack(throwFrom(SITE, REACT)), /^Error: it fails\n {4}at [^\n]*index\.mjs:1:15\)?$/, 'in V8’s format')
})

t.test('a stack without a frame in the site is complete', async (t) => {
  t.strictSame(filesIn(readStack(throwFrom(LIBRARY, REACT, REACT, SITE))).slice(0, 4), [LIBRARY, REACT, REACT, SITE])
  t.strictSame(filesIn(readStack(throwFrom(REACT, REACT, SITE))).slice(0, 3), [REACT, REACT, SITE])
})

t.test('another Error.prepareStackTrace is used, and restored', async (t) => {
  const before = Error.prepareStackTrace
  t.teardown(() => {
    Reflect.set(Error, 'prepareStackTrace', before)
  })
  readStack(throwFrom(SITE, REACT))
  t.equal(Error.prepareStackTrace, before, 'the function before is restored')
  const own = (_error: Error, frames: readonly unknown[]) => `own, of ${frames.length}`
  Error.prepareStackTrace = own
  t.match(readStack(throwFrom(SITE, REACT)), /^own, of \d+$/)
  t.equal(Error.prepareStackTrace, own)
  Error.prepareStackTrace = (error, frames) => `${error}\n    at ${frames.join('\n    at ')}`
  t.strictSame(
    filesIn(readStack(throwFrom(SITE, REACT))),
    [SITE],
    'a function that writes V8’s format does not count as another',
  )
})

t.test('a stack is complete when Error is frozen', async (t) => {
  const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  Object.defineProperty(Error, 'prepareStackTrace', { value: undefined, writable: false, configurable: true })
  let stack: unknown
  try {
    stack = readStack(throwFrom(SITE, REACT))
  } finally {
    if (before) Object.defineProperty(Error, 'prepareStackTrace', before)
    else Reflect.deleteProperty(Error, 'prepareStackTrace')
  }
  t.strictSame(filesIn(stack).slice(0, 2), [SITE, REACT])
})

t.test("a stack is complete with Node's own source maps", async (t) => {
  t.teardown(() => process.setSourceMapsEnabled(false))
  process.setSourceMapsEnabled(true)
  t.strictSame(filesIn(readStack(throwFrom(SITE, REACT))).slice(0, 2), [SITE, REACT])
})

t.test('a stack whose getter throws throws the same', async (t) => {
  const error = new Error('it fails')
  Object.defineProperty(error, 'stack', {
    get() {
      throw new TypeError('not here')
    },
  })
  const before = Error.prepareStackTrace
  t.throws(() => readStack(error), { message: 'not here' })
  t.equal(Error.prepareStackTrace, before)
})

t.test('an error whose name cannot be read has its frames', async (t) => {
  const error = throwFrom(SITE, REACT)
  Object.defineProperty(error, 'name', {
    get() {
      throw new TypeError('nameless')
    },
  })
  t.strictSame(filesIn(readStack(error)), [SITE])
})
