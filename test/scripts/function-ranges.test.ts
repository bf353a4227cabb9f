import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import t from 'tap'
import { findFunctions } from '../../scripts/build/output/find-functions.ts'
import { readTokens } from '../../scripts/build/output/tokenize.ts'

const namesIn = (code: string) => findFunctions(code).map(({ name }) => name?.text ?? null)

const source = `
function plain(a, b = () => 1) { return a ? b : /[/}]{2}\\/"/.test(\`text \${(() => { return a })()} } \${\`in\${a}\`}\`) }
async function* later() { yield* plain() }
const arrow = (x) => x + 1, second = async y => { await y }
const expression = function () { if (arrow) /}/.test('}') }
class Cart extends Map {
  #hidden() { return 1 }
  constructor() { super(); this.#hidden() }
  get total() { return 0 }
  static async open(x) { for (const y of x) { y() } }
  field = () => 2;
  [Symbol.iterator]() { return 3 }
}
const object = { method() {}, key: function () {}, 'quoted key': () => {}, async *each() {}, if: 1 }
while (object) { switch (second) { case 1: (a => a / 2 / 3)(4) } }
export { plain, later, expression, Cart, object }
`
const expected = [
  ...['plain', 'b', null, 'later', 'arrow', 'second', 'expression', 'Cart', '#hidden', 'constructor', 'total', 'open'],
  ...['field', 'method', 'key', 'quoted key', 'each', null],
]

t.test('finds functions and classes, and their names', async (t) => {
  const printed = await transform(source, { target: 'es2022', format: 'esm' })
  t.strictSame(
    namesIn(printed.code).filter((name) => name !== 'iterator'),
    expected,
  )
  const minified = await transform(source, { target: 'es2022', format: 'esm', minifyWhitespace: true })
  t.strictSame(
    namesIn(minified.code).filter((name) => name !== 'iterator'),
    expected,
  )
})

t.test('a range contains a function from its first character to its last', async (t) => {
  const code = 'let a=1,f=async(x)=>x+[1,2].map(y=>y*2)[0],g=function(){return"}"};class C{m(){return 1}}'
  const texts = findFunctions(code).map(({ start, end }) => code.slice(start, end))
  t.strictSame(texts, [
    'async(x)=>x+[1,2].map(y=>y*2)[0]',
    'y=>y*2',
    'function(){return"}"}',
    'class C{m(){return 1}}',
    'm(){return 1}',
  ])
})

t.test('what is no script has no functions', async (t) => {
  for (const code of ['', '(', '}', 'function', '"', '`${', '/*', 'class', '=>', 'a=>', 'function f', 'f(){']) {
    t.doesNotThrow(() => findFunctions(code), code)
  }
  t.equal(readTokens('(]'), null)
})

t.test('every browser script of the project’s site can be read', async (t) => {
  const folder = 'site/.hydrant/client'
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
  t.ok(scripts.length > 20)
  for (const name of scripts) t.ok(readTokens(readFileSync(join(folder, name), 'utf8')), name)
})
