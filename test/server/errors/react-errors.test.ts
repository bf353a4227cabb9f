import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { explainReactError, reactErrors } from '../../../src/server/errors/react-errors.ts'

const CALL = 'formatProdErrorMessage('

/** Returns the largest number of values that the installed React adds to each of its error numbers in browsers. */
function readCalls(): Map<number, number> {
  const folder = join(createRequire(import.meta.url).resolve('react-dom/package.json'), '../cjs')
  const code = readFileSync(join(folder, 'react-dom-client.production.js'), 'utf8')
  const calls = new Map<number, number>()
  for (const call of code.split(CALL).slice(1)) {
    const number = Number.parseInt(call, 10)
    if (!Number.isNaN(number)) calls.set(number, Math.max(calls.get(number) ?? 0, countCommas(call)))
  }
  return calls
}

/** Counts the commas up to the parenthesis that closes the call, without those in inner parentheses and texts. */
function countCommas(call: string): number {
  let commas = 0
  let depth = 0
  for (const [part] of call.matchAll(/"[^"]*"|[(),]/g)) {
    if (part === ')' && depth-- === 0) return commas
    if (part === '(') depth++
    if (part === ',' && depth === 0) commas++
  }
  return commas
}

const numbered = (number: number, args: readonly string[]) => {
  const query = args.map((value, index) => `${index === 0 ? '?' : '&'}args[]=${encodeURIComponent(value)}`).join('')
  const url = `https://react.dev/errors/${number}${query}`
  const rest =
    'for the full message or use the non-minified dev environment for full errors and additional helpful warnings.'
  return { url, message: `Minified React error #${number}; visit ${url} ${rest}` }
}

t.test('each sentence has a place for each value of the installed React', async (t) => {
  const calls = readCalls()
  t.ok(calls.size > 50)
  for (const [number, sentence] of Object.entries(reactErrors))
    t.equal(sentence.split('%s').length - 1, calls.get(Number(number)), sentence)
})

t.test('a number of React becomes a sentence with its values', async (t) => {
  const object = numbered(31, ['object with keys {name, price}'])
  t.equal(
    explainReactError(object.message),
    `An object was rendered as a child (object with keys {name, price}). React renders texts, numbers, elements, and arrays of them. (React error 31: ${object.url})`,
  )
  const hydration = numbered(418, ['text', ''])
  t.equal(
    explainReactError(hydration.message),
    `Hydration failed: the text of the server differs from the first render in the browser, which has rendered it again. (React error 418: ${hydration.url})`,
  )
  t.match(explainReactError(numbered(137, ['$&']).message), /^<\$&> cannot have /, 'a value is inserted as it is')
  t.match(explainReactError(numbered(137, []).message), /^<> cannot have /, 'a value may be missing')
})

t.test('other messages stay', async (t) => {
  for (const message of [
    '',
    'price is undefined',
    numbered(519, []).message,
    'Minified React error #31',
    `Error: ${numbered(31, []).message}`,
  ])
    t.equal(explainReactError(message), message)
})
