// Programs load installed packages from packs as Node.js loads them itself.

import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { writeSite } from '../scripts/create-site.ts'

const run = promisify(execFile)

/** Two modules that require each other, JSON, a property of `require`, and a package that throws while it is loaded. */
const PACKAGES = {
  'node_modules/first/package.json': '{ "name": "first", "version": "1.2.3", "main": "main.js" }',
  'node_modules/first/main.js': `exports.early = 'early'
const { fromSecond, seen } = require('./lib/second')
exports.version = require('./package.json').version
exports.place = require.resolve('second')
exports.values = [fromSecond, seen, require('second')('é'), __filename.slice(__dirname.length)]
exports.later = () => require('./lib/later')
try { require('throws') } catch (error) { exports.error = [error.message, error.stack.split('\\n')[1].trim()] }
try { require('throws') } catch (error) { exports.again = error.message }
`,
  'node_modules/first/lib/second.js': `exports.seen = require('..').early\nexports.fromSecond = 'second'\n`,
  'node_modules/first/lib/later.js': `module.exports = 'later'\n`,
  'node_modules/second/index.js': `module.exports = (text) => text.toUpperCase()\n`,
  'node_modules/throws/index.js': `globalThis.tries = (globalThis.tries ?? 0) + 1\nthrow new Error('try ' + globalThis.tries)\n`,
}

/** Prints what the package exports, and how often Node.js has searched for a file. */
const PROGRAM = `import Module, { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
let searches = 0
const { _findPath } = Module
Module._findPath = (...words) => (searches++, _findPath(...words))
const first = require('first')
const modules = Object.values(require.cache).map(({ id, filename, loaded, paths }) => ({ id, filename, loaded, paths }))
const before = searches
console.log(JSON.stringify({ first, later: first.later(), modules, searches: before }))
`

const TRACER = `import Module from 'node:module'
const requests = []
const { require } = Module.prototype
Module.prototype.require = function (request) { requests.push(request); return require.call(this, request) }
process.once('exit', () => console.log(JSON.stringify(requests)))
`

/** Writes the packages and the program, with the compiled files that keep packs. Returns how to run the program. */
function createProgram(t: Test) {
  const dir = t.testdir({})
  writeSite(dir, { 'program.mjs': PROGRAM, 'tracer.mjs': TRACER, ...PACKAGES, 'package.json': '{ "type": "module" }' })
  mkdirSync(join(dir, 'dist/test'), { recursive: true })
  for (const name of ['code-cache.js', 'optimize-later.js', 'module-pack.js', 'cached-script.js'])
    copyFileSync(`dist/test/${name}`, join(dir, 'dist/test', name))
  const start = async (...imports: string[]) => {
    // In one word: packs belong to the options of Node.js, without the modules that it imports.
    const words = imports.map((name) => `--import=${join(dir, name)}`)
    const { stdout } = await run(process.execPath, [...words, 'program.mjs'], { cwd: dir })
    return stdout.split('\n').filter((line) => line !== '')
  }
  const load = async (...imports: string[]) => {
    const [line = ''] = await start(...imports)
    const { searches, ...loaded } = JSON.parse(line)
    return { searches, loaded }
  }
  return { dir, start, load }
}

const CACHE = 'dist/test/code-cache.js'

t.test('a package from a pack is the package that Node.js loads', async (t) => {
  const { load } = createProgram(t)
  const plain = await load()
  t.match(plain.loaded, { later: 'later', first: { version: '1.2.3', error: ['try 1', /throws\/index\.js:2:7/] } })
  t.strictSame((await load(CACHE)).loaded, plain.loaded)
  const packed = await load(CACHE)
  t.strictSame(packed.loaded, plain.loaded)
  t.ok(packed.searches < plain.searches, `${packed.searches} searches in place of ${plain.searches}`)
})

t.test('an edited file makes the pack of no use', async (t) => {
  const { dir, load } = createProgram(t)
  await load(CACHE)
  writeFileSync(join(dir, 'node_modules/second/index.js'), "module.exports = () => 'edited'\n")
  t.equal((await load(CACHE)).loaded.first.values[2], 'edited')
  t.equal((await load(CACHE)).loaded.first.values[2], 'edited', 'and is in the next one')
})

t.test('a library that traces what is required sees all of it', async (t) => {
  const { start } = createProgram(t)
  await start(CACHE)
  const [, plain] = await start('tracer.mjs')
  const [, packed] = await start(CACHE, 'tracer.mjs')
  t.equal(packed, plain)
})
