// Modules of a site whose `load` must return the same in development as in production.

/** Files by their paths. `load.ts` exports `load`, whose result is compared. Paths are relative to the case's folder. */
export type DevCase = Record<string, string>

export const DEV_CASES: Record<string, DevCase> = {
  'top-level-await': {
    'load.ts':
      "import { both, order } from './middle.ts'\nconst own = await Promise.resolve('own')\nexport const load = () => [own, both(), order]\n",
    'middle.ts':
      "import { slow } from './slow.ts'\nimport { order } from './order.ts'\nimport './after.ts'\nexport const both = () => slow.text\nexport { order }\n",
    'slow.ts':
      "import { order } from './order.ts'\norder.push('slow begins')\nexport const slow = { text: (await Promise.resolve({ deep: { text: 'slow' } })).deep.text }\nfor await (const part of [Promise.resolve('a'), Promise.resolve('b')]) order.push(part)\nfor (const part of await Promise.resolve(['c'])) order.push(part)\nfor await (const part of await Promise.resolve([Promise.resolve('d')])) order.push(part)\norder.push('slow ends')\n",
    'after.ts': "import { order } from './order.ts'\norder.push('after')\n",
    'order.ts': 'export const order: string[] = []\n',
  },
  patterns: {
    'load.ts':
      "export async function load() {\n  const names = ['one', 'deep/two']\n  return await Promise.all(names.map(async (name) => (await import('./texts/' + name + '.ts')).default))\n}\n",
    'texts/one.ts': "export default 'one'\n",
    'texts/deep/two.ts': "export default 'two'\n",
  },
  'circular-functions': {
    'load.ts': "import { isEven } from './even.ts'\nexport const load = () => [isEven(10), isEven(7)]\n",
    'even.ts':
      "import { isOdd, early } from './odd.ts'\nexport function isEven(n: number): boolean {\n  return n === 0 || isOdd(n - 1)\n}\nexport const seen = early\n",
    'odd.ts':
      "import { isEven } from './even.ts'\nexport const early = isEven(0)\nexport const isOdd = (n: number): boolean => n !== 0 && isEven(n - 1)\n",
  },
  'circular-classes': {
    'load.ts':
      "import { Leaf } from './leaf.ts'\nimport { Node } from './node.ts'\nexport const load = () => [Node.parse('x').text(), new Leaf('y') instanceof Node]\n",
    'node.ts':
      "import { Leaf } from './leaf.ts'\nexport class Node {\n  static parse(text: string): Node {\n    return new Leaf(text)\n  }\n  text() {\n    return 'node'\n  }\n}\n",
    'leaf.ts':
      "import { Node } from './node.ts'\nexport const make = () => class extends Node {}\nexport class Leaf {\n  value: string\n  constructor(value: string) {\n    this.value = value\n    Object.setPrototypeOf(this, make().prototype)\n  }\n}\n",
  },
  'circular-await': {
    'load.ts': "import { one } from './one.ts'\nexport const load = () => one()\n",
    'one.ts':
      "import { two } from './two.ts'\nexport const one = () => two()\nexport const text = await Promise.resolve('one')\n",
    'two.ts': "import { text } from './one.ts'\nexport const two = () => 'two ' + text\n",
  },
  'live-bindings': {
    'load.ts':
      "import counter, { count, increment } from './counter.ts'\nimport * as all from './again.ts'\nexport function load() {\n  const before = [count, all.count, all.renamed]\n  increment()\n  return [before.map((n) => n < count), all.count === count, all.renamed === count, counter]\n}\n",
    'counter.ts':
      "export let count = 0\nexport function increment() {\n  count++\n}\nlet given = 'first'\nexport default given\ngiven = 'second'\n",
    'again.ts': "export * from './counter.ts'\nexport { count as renamed } from './counter.ts'\n",
  },
  namespaces: {
    'load.ts':
      "import fallback, * as everything from './all.ts'\nimport main, { type Kind, named as other } from './main.ts'\nexport const load = (): unknown => [Object.keys(everything).sort(), fallback, main(), other, everything.inner.deep, 'default' in everything.inner, typeof everything, Object.keys({ ...everything }).length, ({} as { kind?: Kind }).kind ?? null]\n",
    'all.ts':
      "export * from './main.ts'\nexport * from './more.ts'\nexport * as inner from './inner.ts'\nexport { default } from './inner.ts'\nexport const own = 'own'\n",
    'main.ts': "export type Kind = 'a'\nexport const named = 'named'\nexport default () => 'main'\n",
    'more.ts':
      "export const own = 'hidden'\nexport const more = 'more'\nconst value = 1\nexport { value as \"a name\" }\n",
    'inner.ts': "export const deep = 'deep'\nexport default 'inner default'\n",
  },
  commonjs: {
    'load.ts':
      "import config, { named } from './config.cjs'\nimport * as all from './config.cjs'\nimport make from './make.cjs'\nimport compiled, { value } from './compiled.cjs'\nexport const load = () => [config, named, Object.keys(all).sort(), make(), make.extra, compiled, value]\n",
    'config.cjs': "const other = require('./other.cjs')\nexports.named = 'named'\nexports.other = other.text\n",
    'other.cjs': "exports.text = 'other'\nexports.self = this === exports\n",
    'make.cjs':
      "module.exports = () => 'made of ' + lazy().text\nmodule.exports.extra = 'extra'\nfunction lazy() {\n  return require('./other.cjs')\n}\n",
    'compiled.cjs':
      "Object.defineProperty(exports, '__esModule', { value: true })\nexports.default = 'default'\nexports.value = 'value'\n",
  },
  'commonjs-of-packages': {
    'load.ts': "import { loaded } from './loads.cjs'\nexport const load = () => loaded\n",
    'loads.cjs':
      "const { join } = require('node:path')\nconst react = require('react')\nexports.loaded = [join('a', 'b'), typeof react.createElement, require('common-package').named]\ntry {\n  require('nowhere-package')\n} catch (error) {\n  exports.loaded.push(error.code)\n}\n",
  },
  'own-require': {
    'load.ts':
      "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\nexport const load = () => require('common-package').named\n",
  },
  json: {
    'load.ts':
      "import data, { list } from './data.json'\nimport * as all from './data.json'\nexport const load = () => [data, list, Object.keys(all).sort()]\n",
    'data.json': '{ "list": [1, 2], "text": "x" }\n',
  },
  'import-meta': {
    'load.ts':
      "import { basename } from 'node:path'\nexport const load = () => [new URL(import.meta.url).protocol, basename(new URL(import.meta.url).pathname), typeof import.meta, typeof import.meta.dirname, typeof import.meta.resolve, import.meta.resolve('react').startsWith('file:')]\n",
  },
  'source-place': {
    'load.ts':
      "import { readFileSync } from 'node:fs'\nimport { join } from 'node:path'\nconst { resolve, dirname } = import.meta\nconst placeOf = (meta: ImportMeta) => meta.filename === import.meta.filename && meta.url === import.meta.url\nconst beside = (url: string | URL) => readFileSync(url, 'utf8')\n// Not import.meta.url.\nexport const load = () => [beside(new URL('./text.txt', import.meta.url)), beside(join(import.meta.dirname, 'text.txt')), beside(import.meta.filename).length, beside(join(dirname, 'text.txt')), placeOf(import.meta), 'import.meta.url', typeof resolve, resolve('react').startsWith('file:')]\n",
    'text.txt': 'text beside the module\n',
  },
  'dynamic-imports': {
    'load.ts':
      "import { started } from './started.ts'\nconst name: string = 'node:path'\nexport async function load() {\n  const before = [...started]\n  const own = await import('./later.ts')\n  const again = await import('./later.ts')\n  const common = await import('./common.cjs')\n  const react = await import('react')\n  const path = await import(name)\n  const missing = await import(name.replace('node:path', 'no-such-package')).catch((error: NodeJS.ErrnoException) => error.code)\n  const before2 = before.filter((text) => text !== 'later')\n  return [before2, started, own.default, own.named, own === again, common.default, typeof react.useState, path.join('a', 'b'), missing]\n}\n",
    'later.ts':
      "import { started } from './started.ts'\nstarted.push('later')\nexport const named = await Promise.resolve('named')\nexport default 'later'\n",
    'common.cjs': "exports.common = 'common'\n",
    'started.ts': 'export const started: string[] = []\n',
  },
  packages: {
    'load.ts':
      "import commonDefault, { named as commonNamed } from 'common-package'\nimport * as common from 'common-package'\nimport esmDefault, { count, increment } from 'esm-package'\nimport compiled from 'compiled-package'\nexport { count as again } from 'esm-package'\nexport function load() {\n  increment()\n  return [commonDefault, commonNamed, Object.keys(common).filter((name) => name !== 'module.exports').sort(), esmDefault, count, compiled]\n}\n",
  },
  linked: {
    'load.ts': "import { Size, area } from 'linked-package'\nexport const load = () => [area(Size.Large), Size[2]]\n",
  },
  paths: {
    'load.ts':
      "import { text } from '@lib/paths/text'\nimport { other } from 'renamed'\nimport { named } from 'other-name'\nexport const load = () => [text, other, named]\n",
    'text.ts': "export const text: string = 'by a path'\n",
    'renamed.ts': "export const other = 'by an alias'\n",
  },
  typescript: {
    'load.ts':
      "import { Color, Shapes, Point, Model, log } from './types.ts'\nexport const load = () => [Color.Green, Color[0], Shapes.unit, Shapes.Inner.deep, new Point(1, 2).sum, Object.keys(new Point(1, 2)), new Model().name, log]\n",
    'types.ts':
      "export enum Color { Red, Green = 4, Blue = 'b' + 'lue' }\nexport const log: string[] = []\nexport namespace Shapes {\n  export const unit = 1\n  export namespace Inner {\n    export const deep = unit + 1\n  }\n}\nexport class Point {\n  sum = this.x + this.y\n  extra?: string\n  static made = 'made'\n  #hidden = 1\n  constructor(public x: number, private y: number) {\n    log.push(String(#hidden in this))\n  }\n}\nfunction entity(target: { name: string }) {\n  log.push(target.name)\n}\nfunction field(target: object, key: string) {\n  log.push(key)\n}\n@entity\nexport class Model {\n  @field name = 'model'\n  static again = Model.name\n}\n",
  },
  strict: {
    'load.ts':
      "function self(this: unknown) {\n  return this === undefined\n}\nexport function load() {\n  const frozen = Object.freeze({ a: 1 }) as { a: number }\n  let failed = 'no error'\n  try {\n    frozen.a = 2\n  } catch (error) {\n    failed = (error as Error).name\n  }\n  return [self(), failed, typeof __dirname, typeof __filename]\n}\n",
  },
  'text-like-code': {
    'load.ts':
      'const example = `\nvar import_x = require("no-such-package");\nimport(\'no-such-file\')\n`\nexport const load = () => [example, \'await import("x")\', "require(\'y\')"]\n',
  },
  href: {
    'load.ts':
      "import { href } from 'hydrant/react'\nimport { link } from './link.ts'\nexport const load = () => [href('/a'), link()]\n",
    'link.ts': "import * as hydrant from 'hydrant/react'\nexport const link = () => hydrant.href('/b')\n",
  },
  'css-and-assets': {
    'load.ts':
      "import styles from './styles.module.css'\nimport logo from './logo.svg'\nimport './plain.css'\nexport const load = () => [styles, logo]\n",
    'styles.module.css': '.title { color: red }\n',
    'plain.css': 'p { color: blue }\n',
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
  },
}

/** Packages of the site. */
export const PACKAGES: Record<string, string> = {
  'node_modules/common-package/package.json': '{ "name": "common-package", "main": "index.js" }',
  'node_modules/common-package/index.js':
    "exports.named = 'named'\nexports.other = 'other'\nObject.assign(exports, { hidden: 'hidden' })\n",
  'node_modules/esm-package/package.json': '{ "name": "esm-package", "type": "module", "exports": "./index.js" }',
  'node_modules/esm-package/index.js':
    "export let count = 0\nexport const increment = () => { count = 1 }\nexport default await Promise.resolve('esm')\n",
  'node_modules/compiled-package/package.json': '{ "name": "compiled-package", "main": "index.js" }',
  'node_modules/compiled-package/index.js':
    "Object.defineProperty(exports, '__esModule', { value: true })\nexports.default = 'default'\n",
  'packages/linked/package.json':
    '{ "name": "linked-package", "type": "module", "exports": { ".": "./src/index.ts" } }',
  'packages/linked/src/index.ts': "export { area } from './area.ts'\nexport enum Size { Small = 1, Large }\n",
  'packages/linked/src/area.ts': 'export const area = (side: number): number => side * side\n',
}
