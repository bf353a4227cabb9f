import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import t from 'tap'
import { parseScript } from '../../scripts/build/output/edit-script.ts'
import { findFunctions } from '../../scripts/build/output/find-functions.ts'
import { findFailing } from '../find-failing.ts'

const functionsIn = (code: string) => findFunctions(parseScript(code))
const namesIn = (code: string) => functionsIn(code).map(({ name }) => name?.text ?? null)
const textsIn = (code: string) => functionsIn(code).map(({ start, end }) => code.slice(start, end))

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
  ...['field', null, 'method', 'key', 'quoted key', 'each', null],
]

t.test('finds functions and classes, and their names', async (t) => {
  const printed = await transform(source, { target: 'es2022', format: 'esm' })
  t.strictSame(namesIn(printed.code), expected)
  const minified = await transform(source, { target: 'es2022', format: 'esm', minifyWhitespace: true })
  t.strictSame(namesIn(minified.code), expected)
})

t.test('a range contains a function from its first character to its last', async (t) => {
  const code = 'let a=1,f=async(x)=>x+[1,2].map(y=>y*2)[0],g=function(){return"}"};class C{m(){return 1}}'
  t.strictSame(textsIn(code), [
    'async(x)=>x+[1,2].map(y=>y*2)[0]',
    'y=>y*2',
    'function(){return"}"}',
    'class C{m(){return 1}}',
    'm(){return 1}',
  ])
})

t.test('tells a division from a regular expression', async (t) => {
  t.strictSame(namesIn('if(a){}/}{/.test(b);const f=()=>1'), ['f'], 'after a block')
  t.strictSame(namesIn('const of=4,f=()=>of/2,g=()=>2/1'), ['f', 'g'], 'after a name that is a keyword elsewhere')
  t.strictSame(namesIn('let n=1;n++/2;const f=()=>n/2'), ['f'], 'after an operator')
  t.strictSame(namesIn('const r={}/2/(()=>1)(),s=[/[/"]{2}/,()=>2]'), [null, null], 'after an object')
})

t.test('names the fields of a class and the functions inside them', async (t) => {
  const code =
    'class A{static open=async()=>{};"quoted field"=()=>1;[key]=()=>2;#own=x=>x;get=()=>3;static{const inner=()=>4}}'
  t.strictSame(namesIn(code), ['A', 'open', 'quoted field', null, '#own', 'get', 'inner'])
})

t.test('names methods and keys of any kind', async (t) => {
  t.strictSame(namesIn('a={if(){},catch(){},function(){},async(){},get(){},static(){}}'), [
    ...['if', 'catch', 'function', 'async', 'get', 'static'],
  ])
  t.strictSame(namesIn('a={12:()=>1,"b c"(){},async*[d](){},get e(){return 1},set e(x){}}'), [
    '12',
    'b c',
    null,
    'e',
    'e',
  ])
  t.strictSame(namesIn('a.b=()=>1;a[c]=()=>2;d??=()=>3;e=(()=>4);f=(0,()=>5)'), ['b', null, 'd', 'e', null])
  t.strictSame(namesIn('const {g=()=>1,h:[i=function(){}]=[]}=j'), ['g', 'i'])
})

t.test('ends an arrow function where its expression ends', async (t) => {
  t.strictSame(textsIn('f=a?b=>b:c=>c'), ['b=>b', 'c=>c'])
  t.strictSame(textsIn('f=x=>({y:z=>z}),g=(a=b=>b)=>(a,1);h=async x=>await x'), [
    ...['x=>({y:z=>z})', 'z=>z', '(a=b=>b)=>(a,1)', 'b=>b', 'async x=>await x'],
  ])
  t.strictSame(textsIn('switch(a){case(b=>b)(1):c}'), ['b=>b'])
})

t.test('reads the expressions of template strings', async (t) => {
  const inner = 'y=>`{`'
  const outer = `x=>\`$\{${inner}}\``
  t.strictSame(textsIn(`tag\`}$\{${outer}}\\\\$\{\`/\`}\`;f=()=>\`/\``), [outer, inner, '()=>`/`'])
})

t.test('finds the functions in thousands of calls and operations', async (t) => {
  t.equal(namesIn(`a${'.b(()=>1)'.repeat(20_000)}`).length, 20_000)
  t.strictSame(namesIn(`x=a${'+a'.repeat(2_000)};f=()=>1`), ['f'])
})

t.test('a text that is no script has no functions', async (t) => {
  const texts = ['', '(', '}', 'function', '"', '`${', '/*', 'class', '=>', 'a=>', 'function f', 'f(){', '(]']
  t.strictSame(await findFailing(texts, functionsIn, () => []), [])
  t.strictSame(functionsIn(`${'['.repeat(100_000)}`), [], 'nested deeper than the stack of calls')
})

t.test('every browser script of the project’s site can be read', async (t) => {
  const folder = 'site/.hydrant/client'
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
  t.ok(scripts.length > 20)
  const isEmpty = (name: string) => parseScript(readFileSync(join(folder, name), 'utf8')).body.length === 0
  t.strictSame(await findFailing(scripts, isEmpty, () => false), [])
})
