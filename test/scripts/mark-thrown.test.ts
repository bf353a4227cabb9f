// The build marks what scripts of a browser throw, so that a value without a stack leads to the line that throws it.

import { inspect, types } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { type EncodedSourceMap, eachMapping, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { transform } from 'esbuild'
import t from 'tap'
import { type MappedCode, markThrown } from '../../scripts/build/output/mark-thrown.ts'
import { MAX_PRIMITIVES, STACKS_VARIABLE, type ThrownStacks } from '../../src/shared/wire/report-format.ts'
import { findFailing } from '../find-failing.ts'
import { THROWING_STATEMENTS } from './throwing-statements.ts'

/** Returns a script as esbuild writes it, and the same script marked. */
async function mark(source: string, minify = true) {
  const options = { format: 'esm', minify, target: 'es2022', sourcemap: 'external', sourcefile: 'a.js' } as const
  const { code, map } = await transform(source, options)
  const before = { code, map: JSON.parse(map) as EncodedSourceMap }
  return { before, after: markThrown(before, (file) => file === 'a.js') }
}

/** Evaluates a script. Returns what it logs, and the stacks that it keeps. */
async function evaluate(code: string) {
  const logged: unknown[] = []
  const context = createContext({ setTimeout, AbortController, log: (...values: unknown[]) => logged.push(...values) })
  runInContext('{ const push = log; log = (...values) => { push(...values); return values.at(-1) } }', context)
  await runInContext(`(async () => {${code}\n})()`, context)
  const [primitives, objects] = (context[STACKS_VARIABLE] ?? [new Map(), new WeakMap()]) as ThrownStacks
  return { logged, objects, primitives }
}

/** Returns a script that runs statements and logs how they end. */
const running = (statements: string) => `
const tagOf = (value) => Object.prototype.toString.call(value)
const show = (value) => tagOf(value) === '[object Error]' ? [value.name, value.message, value.constructor.name]
  : tagOf(value) === '[object Promise]' ? 'a promise'
  : value
async function* run() {
  ${statements}
}
try {
  const values = run()
  for (let next = await values.next(); !next.done; next = await values.next('sent')) log('yielded', next.value)
  log('returned')
} catch (error) {
  log('thrown', show(error))
}
`

t.test('a marked script does what it did before', async (t) => {
  const scripts = THROWING_STATEMENTS.flatMap((statements) => [true, false].map((minify) => ({ statements, minify })))
  const failing = await findFailing(scripts, async ({ statements, minify }) => {
    const { before, after } = await mark(running(statements), minify)
    const unmarked = await evaluate(before.code)
    const logs = [inspect(unmarked.logged), inspect((await evaluate(after.code)).logged)]
    const isSame = logs[0] === logs[1] && unmarked.logged.length > 0 && unmarked.primitives.size === 0
    return isSame ? undefined : { logs, code: after.code }
  })
  t.strictSame(failing, [])
})

/** Matches statements that throw in another way than the build knows. */
const UNKNOWN = /eval|\['reject'\]|getPrototypeOf|defineProperty/

t.test('whatever is thrown without a stack leaves one', async (t) => {
  let caught = 0
  const failing = await findFailing(THROWING_STATEMENTS, async (statements) => {
    const { after } = await mark(running(`try { ${statements} } catch (error) { return log('caught', error) }`))
    const { logged, objects, primitives } = await evaluate(after.code)
    if (logged.at(-3) !== 'caught' || UNKNOWN.test(statements)) return
    caught++
    const thrown = logged.at(-2)
    const hasOwn = types.isPromise(thrown) || (types.isNativeError(thrown) && Boolean(thrown.stack))
    const isKept = primitives.has(thrown) || objects.has(Object(thrown))
    return isKept === hasOwn ? { thrown, isKept } : undefined
  })
  t.strictSame(failing, [])
  t.ok(caught > THROWING_STATEMENTS.length / 3, `${caught} values`)
})

function mapOf({ map }: MappedCode): EncodedSourceMap {
  if (!map) throw new Error('A map is missing.')
  return map
}

const SOURCE = `
export function choose(number) {
  if (number === 1)
    throw 'one'
  log('ünïcödé'); if (number === 2) throw { two: log(2) }; else log(3)
  throw undefined
}
export const reject = () => new Promise((_, fail) => {
  fail(
    'four')
}), other = () => Promise.reject()
`

t.test('the map leads from a mark to its value, and from everything else to where it led before', async (t) => {
  for (const minify of [true, false]) {
    const { before, after } = await mark(SOURCE, minify)
    const lines = after.code.split('\n')
    const map = new TraceMap(mapOf(after))
    const places = lines.flatMap((text, index) =>
      [...text.matchAll(/\(typeof \$kept/g)].map((found) =>
        originalPositionFor(map, { line: index + 1, column: found.index }),
      ),
    )
    t.strictSame(
      places.map(({ line, column }) => SOURCE.split('\n')[Number(line) - 1]?.slice(Number(column), Number(column) + 5)),
      ["'one'", '{ two', 'undef', "'four", ')'],
    )
    // Each mapped text of the script follows in the marked one, with the same source.
    const mapped = (script: MappedCode) => {
      const found: string[] = []
      eachMapping(new TraceMap(mapOf(script)), ({ generatedLine, generatedColumn, originalLine, originalColumn }) => {
        const [, text] =
          /^(\w+|.?)/.exec(script.code.split('\n')[generatedLine - 1]?.slice(generatedColumn) ?? '') ?? []
        found.push(`${text} ${originalLine}:${originalColumn}`)
      })
      return found
    }
    const rest = mapped(after).filter((text) => !/^\( /.test(text))
    t.strictSame(
      rest,
      mapped(before).filter((text) => !/^\( /.test(text)),
    )
  }
})

t.test('the stack of a value begins at the mark, and the first stack of an object counts', async (t) => {
  const { after } = await mark(
    `
    const object = {}
    function one() { throw 'text' }
    function two() { throw 'text' }
    function again() { try { one() } catch (error) { throw error } }
    function first() { throw object }
    function second() { throw object }
    for (const run of [two, again, first, second]) try { run() } catch (error) { log(error) }
  `,
    false,
  )
  const { logged, objects, primitives } = await evaluate(after.code)
  const functionsOf = (stack = '') => [...stack.matchAll(/^ {4}at (\S+) \(/gm)].slice(0, 2).map(([, name]) => name)
  t.strictSame(functionsOf(primitives.get('text')), ['$kept', 'one'])
  t.strictSame(functionsOf(objects.get(Object(logged.at(-1)))), ['$kept', 'first'])
})

t.test('a document keeps the stacks of the last primitive values only', async (t) => {
  const { after } = await mark(`
    for (let count = 0; count < ${MAX_PRIMITIVES + 10}; count++) try { throw count } catch {}
    try { throw 15 } catch {}
  `)
  const { primitives } = await evaluate(after.code)
  const kept = Array.from({ length: MAX_PRIMITIVES }, (_, index) => index + 10).filter((count) => count !== 15)
  t.strictSame([...primitives.keys()], [...kept, 15])
})

t.test('nothing happens when the browser keeps no stacks', async (t) => {
  const { after } = await mark("Error.stackTraceLimit = 0; try { throw 'text' } catch (error) { log(error) }")
  t.strictSame((await evaluate(after.code)).logged, ['text'])
  const { after: taken } = await mark(`${STACKS_VARIABLE} = {}; try { throw 'text' } catch (error) { log(error) }`)
  t.strictSame((await evaluate(`${taken.code};${STACKS_VARIABLE} = undefined`)).logged, ['text'])
})

t.test('a script without such values does not change', async (t) => {
  for (const source of [
    'export const a = 1',
    "export function a() { throw new TypeError('a') }",
    "class Own extends RangeError {} class Other extends Own {} export function a() { throw new Other('a') }",
    "export const a = () => Promise.reject(new Error('a'))",
    'export const a = (run) => new Promise((resolve, reject) => run(resolve, reject))',
    'export const a = "throw b"',
  ]) {
    const { before, after } = await mark(source)
    t.equal(after, before, source)
  }
  const { before } = await mark("export const a = () => { throw 'text' }")
  t.equal(
    markThrown(before, (source) => source !== 'a.js'),
    before,
    'another source',
  )
  t.match(markThrown({ ...before, map: null }, () => false).code, '$kept', 'without a map')
  const linked = markThrown({ ...before, code: `${before.code}//# sourceMappingURL=a.js.map\n` }, () => true)
  t.match(linked.code, /return v\}\n\/\/# sourceMappingURL=a\.js\.map\n$/)
})

t.test('the modules of a bundle are marked one by one, and a comment in a text divides nothing', (t) => {
  const keepAll = (code: string) => markThrown({ code, map: null }, () => true).code.split('function $')[0]
  const kept = (value: string) => `throw (typeof $kept<"u"?$kept:v=>v)(${value})`
  const [first, second] = ['// a.js\nfunction a(b) {\n  throw b;\n}\n', '// c.js\nfunction c() {\n  throw "text";\n}\n']
  t.equal(
    keepAll(`${first}// b.js\nfunction b() {\n}\n${second}`),
    `${first.replace('throw b', kept('b'))}// b.js\nfunction b() {\n}\n${second.replace('throw "text"', kept('"text"'))}`,
  )
  const text = 'var text = `\n// no module\n`;\n'
  t.equal(keepAll(`${text}${first}`), `${text}${first.replace('throw b', kept('b'))}`)
  t.end()
})
