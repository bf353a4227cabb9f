/** A site with a mistake, and the problems that the build must report. */
export interface BrokenSite {
  title: string
  /** Contents by path. `pages/index.tsx` is a working page unless it is given. */
  files: Record<string, string>
  /** `CODE file:line:column`, in the order of the report. */
  expected: string[]
  /** A part of the first message. */
  message?: string
  /** A part of each fix. */
  fixes?: string[]
}

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'

export const brokenSites: BrokenSite[] = [
  {
    title: 'two pages for one URL',
    files: { 'pages/about.tsx': page, 'pages/(info)/about.tsx': page },
    expected: ['HYD_BUILD_URL_TAKEN pages/about.tsx'],
    message: 'pages/(info)/about.tsx and pages/about.tsx have the same URL, /about',
  },
  {
    title: 'a public file at a page’s URL',
    files: { 'pages/about.tsx': page, 'public/about': 'text' },
    expected: ['HYD_BUILD_URL_TAKEN public/about'],
    message: 'pages/about.tsx and public/about have the same URL, /about',
  },
  {
    title: 'a public file whose name is a pattern for the router',
    files: { 'public/a*.txt': 'text' },
    expected: ['HYD_BUILD_PUBLIC_NAME public/a*.txt'],
    message: 'the path of public/a*.txt contains "*", which has a meaning in routes or URLs',
  },
  {
    title: 'two layouts in one folder',
    files: { 'pages/layout.tsx': page, 'pages/layout.jsx': page },
    expected: ['HYD_BUILD_FILE_TWICE pages/layout.tsx'],
  },
  {
    title: 'a bracket that is not closed',
    files: { 'pages/products/[id.tsx': page },
    expected: ['HYD_BUILD_SEGMENT pages/products/[id.tsx'],
    message: 'the segment "[id" must be a name in one pair of brackets',
  },
  {
    title: 'a parameter that occurs twice in a path',
    files: { 'pages/[id]/parts/[id].tsx': page },
    expected: ['HYD_BUILD_PARAM_TWICE pages/[id]/parts/[id].tsx'],
  },
  {
    title: 'a page below Hydrant’s own path',
    files: { 'pages/_hydrant/live.tsx': page },
    expected: ['HYD_BUILD_RESERVED pages/_hydrant/live.tsx'],
  },
  {
    title: 'an alias that leads nowhere',
    files: {
      'hydrant.config.ts': "export default { esbuild: { alias: { '@lib': './lib/missing.ts' } } }\n",
      'pages/a.tsx': `import { lib } from '@lib'\nexport default () => <p>{lib}</p>\n`,
    },
    expected: ['HYD_BUILD_UNRESOLVED pages/a.tsx:1:21'],
    message: 'cannot find "./lib/missing.ts", to which "esbuild.alias" of the configuration leads from "@lib"',
  },
  {
    title: 'a page in MDX without a plugin that compiles it',
    files: { 'pages/docs/intro.mdx': '# Introduction\n' },
    expected: ['HYD_BUILD_MDX pages/docs/intro.mdx'],
  },
  {
    title: 'a page with the extension of a module',
    files: { 'pages/docs/index.js': 'export default 1\n' },
    expected: ['HYD_BUILD_EXTENSION pages/docs/index.js'],
  },
  {
    title: 'components without a default export',
    files: {
      'pages/a.tsx': 'export function Page() {\n  return <p>a</p>\n}\n',
      'pages/layout.tsx': 'const layout = 1\n',
      'pages/error.tsx': 'export const error = 1\n',
      'pages/not-found.tsx': '',
      'pages/z.tsx': 'export const Route = 1\n',
    },
    expected: [
      'HYD_BUILD_NO_COMPONENT pages/a.tsx:1',
      'HYD_BUILD_NO_COMPONENT pages/error.tsx:1',
      'HYD_BUILD_NO_COMPONENT pages/layout.tsx:1',
      'HYD_BUILD_NO_COMPONENT pages/not-found.tsx:1',
      'HYD_BUILD_NO_COMPONENT pages/z.tsx:1',
    ],
    message: 'pages/a.tsx has no default export; a page file needs a component',
  },
  {
    title: 'a server plugin without a default export',
    files: { 'server.ts': 'export const plugin = () => {}\n' },
    expected: ['HYD_BUILD_NO_PLUGIN server.ts:1'],
  },
  {
    title: 'a configuration without a default export',
    files: { 'hydrant.config.ts': 'export const config = {}\n' },
    expected: ['HYD_BUILD_NO_CONFIG hydrant.config.ts:1'],
  },
  {
    title: 'a configuration in CommonJS',
    files: { 'hydrant.config.js': 'module.exports = { port: 3001 }\n' },
    expected: ['HYD_BUILD_NO_CONFIG hydrant.config.js:1'],
    message: '; did you mean "export default" for "module.exports"?',
  },
  {
    title: 'unknown exports of server files',
    files: {
      'pages/index.server.ts':
        'const one = 1\nexport const loader = () => one\nexport { one as other }\nexport type Data = string\n',
      'pages/layout.tsx': page,
      'pages/layout.server.ts': 'export function load() {}\n\nexport const stream = false\n',
    },
    expected: [
      'HYD_BUILD_SERVER_EXPORT pages/index.server.ts:2:14',
      'HYD_BUILD_SERVER_EXPORT pages/index.server.ts:3:17',
      'HYD_BUILD_SERVER_EXPORT pages/layout.server.ts:3:14',
    ],
    message: 'unknown export "loader"; the server file of a page may export',
  },
  {
    title: 'exports that are no schemas',
    files: {
      'pages/index.server.ts':
        'export function form(value: string) {}\n\nexport const search = { page: 1 }\nconst params = () => 1\nexport { params }\n',
      'pages/ok.tsx': page,
      'pages/ok.server.ts':
        "const own = {}\nexport const form = own\nexport const search = { '~standard': {} }\nexport const params = { ...own }\n",
    },
    expected: [
      'HYD_SCHEMA_INVALID pages/index.server.ts:1:17',
      'HYD_SCHEMA_INVALID pages/index.server.ts:3:14',
      'HYD_SCHEMA_INVALID pages/index.server.ts:5:10',
    ],
    message: 'the export "form" of pages/index.server.ts must be a Standard Schema; got a function',
  },
  {
    title: 'several actions that are not valid',
    files: {
      'pages/a.tsx': page,
      'pages/a.server.ts':
        'export const load = () => 1\nexport const actions = { a() {} }\nexport const action = () => 1\n',
      'pages/b.tsx': page,
      'pages/b.server.ts': "export const actions = { 'a b': () => 1 }\nexport const form = { '~standard': {} }\n",
      'pages/c.tsx': page,
      'pages/c.server.ts': 'export const actions = { a: { form: load } }\nexport function load() {}\n',
      'pages/d.tsx': page,
      'pages/d.server.ts': 'export const actions = [1]\n',
      'pages/ok.tsx': page,
      'pages/ok.server.ts':
        "import { own, wrap } from '../wrap'\nexport const actions = { ...own, a: wrap(1), b: { form: wrap(1), action: wrap(1) }, c: { ...own }, d() {}, e: wrap }\n",
      'wrap.ts': 'export const wrap = (value: unknown) => () => value\nexport const own = { x: wrap(1) }\n',
    },
    expected: [
      'HYD_ACTIONS_EXPORT pages/a.server.ts:2:14',
      'HYD_ACTIONS_EXPORT pages/b.server.ts:1:14',
      'HYD_ACTIONS_EXPORT pages/b.server.ts:1:14',
      'HYD_ACTIONS_EXPORT pages/c.server.ts:1:14',
      'HYD_ACTIONS_EXPORT pages/d.server.ts:1:14',
    ],
    message: 'the export "actions" of pages/a.server.ts cannot be beside the export "action"',
  },
  {
    title: 'exports that are no functions',
    files: {
      'pages/index.server.ts':
        "export const load = { books: [] }\nexport const action = 'x'\nexport const guard = -1\nexport const cache = { maxAgeS: 1 }\nexport const loadVisitor = `text`\n",
      'pages/layout.tsx': page,
      'pages/layout.server.ts': 'const rows: number[] = [1]\nexport { rows as load }\n',
      'pages/ok.tsx': page,
      'pages/ok.server.ts':
        "import { wrap } from '../wrap'\nexport const load = wrap({})\nexport const action = [wrap][0]\nlet own: unknown = null\nown = wrap\nexport { own as guard }\n",
      'wrap.ts': 'export const wrap = (value: unknown) => () => value\n',
    },
    expected: [
      'HYD_FUNCTION_EXPORT pages/index.server.ts:1:14',
      'HYD_FUNCTION_EXPORT pages/index.server.ts:2:14',
      'HYD_GUARD_EXPORT pages/index.server.ts:3:14',
      'HYD_VISITOR_LOAD pages/index.server.ts:5:14',
      'HYD_FUNCTION_EXPORT pages/layout.server.ts:2:18',
    ],
    message: 'the export "load" of pages/index.server.ts must be a function; got {…}',
  },
  ...[
    ['{ maxAge: 60 }', 'it has the unknown property "maxAge"; did you mean "maxAgeS"?'],
    ["{ maxAgeS: '60', staleS: 60 }", '"maxAgeS" must be a number of seconds from 0 to 31536000; got "60"'],
    ['{ staleS: HOUR }', '"maxAgeS" must be a number of seconds from 0 to 31536000; got undefined'],
    ['{ ...common, maxAgeS: -1 }', '"maxAgeS" must be a number of seconds from 0 to 31536000; got -1'],
    ['60', 'it must be an object; got 60'],
  ].map(([value, message]) => ({
    title: `the export cache = ${value}`,
    files: {
      'pages/index.server.ts': `const HOUR = 60 * 60\nconst common = { staleS: HOUR }\nexport const cache = ${value}\n`,
      'pages/ok.tsx': page,
      'pages/ok.server.ts':
        "const [common, NAME] = [{ maxAgeS: 60 }, 'page']\nexport const cache = { ...common, staleS: 60 * 60, tags: () => [], search: [NAME] }\n",
    },
    expected: ['HYD_CACHE_INVALID pages/index.server.ts:3:14'],
    message: `the export "cache" of pages/index.server.ts is not valid: ${message}`,
  })),
  {
    title: 'default exports that are no components',
    files: {
      'pages/a.tsx': 'export default 42\n',
      'pages/b.tsx': 'export default <p>b</p>\n',
      'pages/c.tsx': 'const c = 1\nexport default c\n',
      'pages/error.tsx': "export default 'error'\n",
      'pages/layout.tsx': "const layout = ['a']\nexport { layout as default }\n",
      'pages/ok.tsx': `import { memo } from 'react'\nexport const hydrate = false\nexport default memo(() => null)\n`,
      'pages/scripts.tsx': `export const hydrate = true\n${page}`,
    },
    expected: [
      'HYD_COMPONENT_EXPORT pages/a.tsx:1:8',
      'HYD_COMPONENT_EXPORT pages/b.tsx:1:8',
      'HYD_COMPONENT_EXPORT pages/c.tsx:2:8',
      'HYD_COMPONENT_EXPORT pages/error.tsx:1:8',
      'HYD_COMPONENT_EXPORT pages/layout.tsx:2:20',
      'HYD_HYDRATE_EXPORT pages/scripts.tsx:1:14',
    ],
    message: 'the default export of pages/a.tsx must be a component; got 42',
  },
  {
    title: 'a server file without its page',
    files: { 'pages/prices.server.ts': 'export const load = () => 1\n' },
    expected: ['HYD_BUILD_SERVER_ORPHAN pages/prices.server.ts'],
  },
  {
    title: 'a server file with a misspelled name',
    files: { 'pages/products.tsx': page, 'pages/prodcuts.server.ts': 'export const load = () => 1\n' },
    expected: ['HYD_BUILD_SERVER_ORPHAN pages/prodcuts.server.ts'],
    message: 'pages/prodcuts.server.ts belongs to no page or layout; did you mean pages/products.server.ts?',
  },
  {
    title: 'two server files of a page',
    files: { 'pages/index.server.ts': 'export const load = () => 1\n', 'pages/index.server.js': 'export {}\n' },
    expected: ['HYD_BUILD_FILE_TWICE pages/index.server.ts'],
    message: 'pages/index.server.js and pages/index.server.ts define the same part of the site',
  },
  {
    title: 'parts for the visitor of a page that is not stored',
    files: { 'pages/index.server.ts': '// A page\nexport const loadVisitor = () => 1\n' },
    expected: ['HYD_VISITOR_LOAD pages/index.server.ts:2:14'],
    message: 'the export "loadVisitor" of pages/index.server.ts needs the export "cache"',
  },
  {
    title: 'exports whose names are in another module',
    files: {
      'lib/a.ts': 'export const load = () => 1\n',
      'lib/types.ts': 'export type Row = string\n',
      'pages/a.tsx': `${page}export * from '../lib/types.ts'\n`,
      'pages/a.server.ts': "export type * from '../lib/types.ts'\n",
      'pages/index.server.ts':
        "// never export * from another module\nexport * as load from '../lib/a.ts'\nexport * from '../lib/a.ts'\nexport * from '../lib/d.json' with { type: 'json' }\n",
      'lib/d.json': '{ "action": 1 }',
      'pages/b.tsx': `const text = \`\nexport * from "./text";\n\`\n/*!\nexport * from "./comment";\n*/\nexport default () => text\n`,
      'pages/layout.tsx': `export * from '../lib/a.ts'\n${page}`,
    },
    expected: [
      'HYD_BUILD_EXPORT_ALL pages/a.tsx:4:8',
      'HYD_BUILD_EXPORT_ALL pages/index.server.ts:3:8',
      'HYD_BUILD_EXPORT_ALL pages/index.server.ts:4:8',
    ],
    message: 'pages/a.tsx exports everything of "../lib/types.ts", and the build does not read those names',
  },
  ...[
    ['laod', 'load'],
    ['Load', 'load'],
    ['getServerSideProps', 'load'],
    ['clientAction', 'action'],
    ['gaurd', 'guard'],
    ['middleware', 'guard'],
  ].map(([name = '', meant = '']) => ({
    title: `a server file that exports "${name}"`,
    files: { 'pages/index.server.ts': `\nexport function ${name}() {}\n` },
    expected: ['HYD_BUILD_SERVER_EXPORT pages/index.server.ts:2:17'],
    message: `; did you mean "${meant}"?`,
  })),
  {
    title: 'a load that is the default export',
    files: { 'pages/index.server.ts': 'export default function load() {}\n' },
    expected: ['HYD_BUILD_SERVER_EXPORT pages/index.server.ts:1:8'],
    message: '"loadVisitor"; did you mean "export function load"?',
  },
  {
    title: 'a component that is not the default export',
    files: { 'pages/a.tsx': 'export const size = 1\nexport function Products() {\n  return <p>a</p>\n}\n' },
    expected: ['HYD_BUILD_NO_COMPONENT pages/a.tsx:1'],
    message: 'a page file needs a component; did you mean "export default" for "Products"?',
  },
  {
    title: 'a configuration that is not the default export',
    files: { 'hydrant.config.ts': 'export const config = {}\n' },
    expected: ['HYD_BUILD_NO_CONFIG hydrant.config.ts:1'],
    message: '; did you mean "export default" for "config"?',
  },
  {
    title: 'a browser module that reaches a server one',
    files: {
      'pages/a.tsx': "import { B } from '../components/b'\n\nexport default () => <B />\n",
      'components/b.tsx': "import { query } from '../db.server'\n\nexport const B = () => <p>{query()}</p>\n",
      'db.server.ts': 'export const query = () => 1\n',
    },
    expected: ['HYD_BUILD_SERVER_IN_BROWSER components/b.tsx:1:23'],
    message: 'pages/a.tsx → components/b.tsx → db.server.ts',
  },
  {
    title: 'a chain to a server module beside files that cannot be read',
    files: {
      'pages/a.tsx': "import { B } from '../lib/b'\nimport './x.css'\n\nexport default () => <B />\n",
      'pages/x.css': '.x { color: red }',
      'lib/b.ts': "export * as B from '../db.server'\nimport 'no-such-package'\n",
      'db.server.ts': "import 'fastify'\nexport const query = () => 1\n",
      'pages/z.tsx': 'export default (\n',
    },
    expected: [
      'HYD_BUILD_SERVER_IN_BROWSER lib/b.ts:1:20',
      'HYD_BUILD_UNRESOLVED lib/b.ts:2:8',
      'HYD_BUILD_SYNTAX pages/z.tsx:2:1',
    ],
    message: 'pages/a.tsx → lib/b.ts → db.server.ts',
  },
  {
    title: 'a browser module that imports hydrant, a builtin and the server plugin',
    files: {
      'pages/a.tsx':
        "import { readFileSync } from 'node:fs'\nimport { notFound } from 'hydrant'\nimport app from '../server'\nexport default () => <p>{String([readFileSync, notFound, app])}</p>\n",
      'server.ts': 'export default async function server() {}\n',
    },
    expected: [
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:1:30',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:2:26',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:3:17',
    ],
    message: 'browser code imports node:fs, which only the server may use: pages/a.tsx → node:fs',
  },
  {
    title: 'a server module under another name',
    files: {
      'pages/a.tsx': "import { query } from '#db'\nexport default () => <p>{query()}</p>\n",
      'package.json': '{ "name": "a-site", "type": "module", "imports": { "#db": "./db.server.ts" } }',
      'db.server.ts': 'export const query = () => 1\n',
    },
    expected: ['HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:1:23'],
    message: 'pages/a.tsx → db.server.ts',
  },
  {
    title: 'server modules and server data with other extensions',
    files: {
      'pages/a.tsx':
        "import { one } from '../one.server.mjs'\nimport { two } from '../two.server.mts'\nimport three from '../three.server.json'\nimport four from '../four.server.cjs'\nexport default () => <p>{String([one, two, three, four])}</p>\n",
      'one.server.mjs': 'export const one = 1\n',
      'two.server.mts': 'export const two = 2\n',
      'three.server.json': '{ "key": "secret" }\n',
      'four.server.cjs': 'module.exports = 4\n',
    },
    expected: [
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:1:21',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:2:21',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:3:19',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:4:18',
    ],
    message: 'pages/a.tsx → one.server.mjs',
  },
  {
    // A file system that ignores case finds a server file under each of these names.
    title: 'server modules in another case',
    files: {
      'pages/a.tsx':
        "import { one } from '../one.SERVER.ts'\nimport { two } from '../two.Server'\nimport three from '../db.SERVER/three'\nimport four from '../Server.ts'\nimport five from '../Hydrant.Config'\nimport { six } from '#six'\nimport { seven } from '../seven.\u017ferver.ts'\nexport default () => <p>{String([one, two, three, four, five, six, seven])}</p>\n",
      'pages/b.tsx':
        "import { two } from '../parts/again.ts'\nconst one = () => import('../one.SERVER.ts')\nexport default () => <p onClick={one}>{two}</p>\n",
      'parts/again.ts': "export { two } from '../two.Server'\n",
      'package.json': '{ "name": "a-site", "type": "module", "imports": { "#six": "./six.sErVeR.ts" } }',
      'one.SERVER.ts': 'export const one = 1\n',
      'two.Server.ts': 'export const two = 2\n',
      'db.SERVER/three.ts': 'export default 3\n',
      'Server.ts': 'export default 4\n',
      'Hydrant.Config.ts': 'export default 5\n',
      'six.sErVeR.ts': 'export const six = 6\n',
      'seven.\u017ferver.ts': 'export const seven = 7\n',
    },
    expected: [
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:1:21',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:2:21',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:3:19',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:4:18',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:5:18',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:6:21',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:7:23',
      'HYD_BUILD_SERVER_IN_BROWSER pages/b.tsx:2:26',
      'HYD_BUILD_SERVER_IN_BROWSER parts/again.ts:1:21',
    ],
    message: 'pages/a.tsx → one.SERVER.ts',
  },
  {
    title: 'modules and data in a folder of server code',
    files: {
      'pages/a.tsx':
        "import { one } from '../db.server'\nimport { two } from '../db.server/sql/two'\nimport three from './.server/three.json'\nimport { four } from '#four'\nexport default () => <p>{String([one, two, three, four])}</p>\n",
      'package.json': '{ "name": "a-site", "type": "module", "imports": { "#four": "./db.server/four.ts" } }',
      'db.server/index.ts': 'export const one = 1\n',
      'db.server/sql/two.ts': 'export const two = 2\n',
      'pages/.server/three.json': '{ "key": "secret" }\n',
      'db.server/four.ts': 'export const four = 4\n',
    },
    expected: [
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:1:21',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:2:21',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:3:19',
      'HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:4:22',
    ],
    message: 'pages/a.tsx → db.server/index.ts',
  },
  {
    title: 'server data under another name',
    files: {
      'pages/a.tsx': "import keys from '#keys'\nexport default () => <p>{String(keys)}</p>\n",
      'package.json': '{ "name": "a-site", "type": "module", "imports": { "#keys": "./keys.server.json" } }',
      'keys.server.json': '{ "key": "secret" }\n',
    },
    expected: ['HYD_BUILD_SERVER_IN_BROWSER pages/a.tsx:1:18'],
    message: 'pages/a.tsx → keys.server.json',
  },
  {
    title: 'syntax errors in two files, and a mistake of another kind beside them',
    files: {
      'pages/a.tsx': 'export default () => <p>a</b>\n',
      'pages/b.tsx': 'export default () => {\n  const = 1\n}\n',
      'pages/c.tsx': 'export const c = 1\n',
    },
    expected: [
      'HYD_BUILD_SYNTAX pages/a.tsx:1:28',
      'HYD_BUILD_SYNTAX pages/b.tsx:2:9',
      'HYD_BUILD_NO_COMPONENT pages/c.tsx:1',
    ],
  },
  {
    title: 'imports of missing modules',
    files: {
      'pages/a.tsx':
        "import './missing.css'\nimport { x } from 'no-such-package'\nimport Link from 'next/link'\nexport default () => <Link>{x}</Link>\n",
    },
    expected: [
      'HYD_BUILD_UNRESOLVED pages/a.tsx:1:8',
      'HYD_BUILD_UNRESOLVED pages/a.tsx:2:19',
      'HYD_BUILD_UNRESOLVED pages/a.tsx:3:18',
    ],
    message: 'cannot find "./missing.css"',
    fixes: ['Correct the path', 'install the package', 'Remove the import: "hydrant docs next"'],
  },
  {
    title: 'a name that the other module does not export',
    files: {
      'pages/a.tsx': "import { total } from '../lib'\nexport default () => <p>{total}</p>\n",
      'lib.ts': 'export const sum = 1\n',
    },
    expected: ['HYD_BUILD_IMPORT_NAME pages/a.tsx:1:10'],
    message: '"lib.ts" has no export "total"',
  },
  {
    title: 'a name that is almost that of an export',
    files: {
      'pages/a.tsx': "import { totl } from '../lib'\nexport default () => <p>{totl}</p>\n",
      'lib.ts': 'export const total = 1\n',
    },
    expected: ['HYD_BUILD_IMPORT_NAME pages/a.tsx:1:10'],
    message: '"lib.ts" has no export "totl"; did you mean "total"?',
  },
  {
    title: 'a guard in the file of a page, which everyone could open',
    files: {
      'pages/a.tsx': 'export default () => null\nexport const guard = () => {}\n',
      'pages/b/layout.tsx': 'export default ({ children }) => children\nexport function guard() {}\n',
      'pages/b/layout.server.ts': 'export const load = () => 1\n',
    },
    expected: ['HYD_BUILD_PAGE_EXPORT pages/a.tsx:2:14', 'HYD_BUILD_PAGE_EXPORT pages/b/layout.tsx:2:17'],
    message: 'pages/a.tsx exports "guard", which has no effect there; move it to pages/a.server.ts: without it, anyone',
  },
  {
    title: 'an import with upper case for a file with lower case',
    files: {
      'pages/a.tsx':
        "import { Button } from '../Lib/Button'\nimport icon from '../lib/Icon.svg'\nexport default () => <Button icon={icon} />\n",
      'pages/a.server.ts': "import { list } from '../lib/List.js'\nexport const load = () => list\n",
      ...{ 'lib/button.tsx': 'export const Button = () => null\n', 'lib/icon.svg': '<svg/>\n' },
      'lib/list.ts': 'export const list = []\n',
    },
    expected: [
      'HYD_BUILD_UNRESOLVED pages/a.server.ts:1:22',
      'HYD_BUILD_UNRESOLVED pages/a.tsx:1:24',
      'HYD_BUILD_UNRESOLVED pages/a.tsx:2:18',
    ],
    message: 'cannot find "../lib/List.js"; the name of the file is lib/list.ts',
  },
  {
    title: 'functions of Next.js that run on the server',
    files: {
      'pages/a.tsx':
        "export default () => {\n  async function save() {\n    'use server'\n    console.log('secret')\n  }\n  return <form action={save} title=\"'use server'\" />\n}\n",
      'pages/b.tsx': "import { remove } from '../lib/remove'\nexport default () => <form action={remove} />\n",
      'lib/remove.ts': "// Runs on the server.\n'use server'\nexport async function remove() {}\n",
      // Texts that look like the directive are none.
      'pages/c.tsx': "const code = `function f() {\n  'use server'\n}`\nexport default () => <pre>{code}</pre>\n",
    },
    expected: ['HYD_BUILD_USE_SERVER lib/remove.ts:2:1', 'HYD_BUILD_USE_SERVER pages/a.tsx:3:5'],
    message: 'lib/remove.ts has the directive "use server", and the browser would get its code',
  },
  {
    title: 'the default export of a module that exports the name',
    files: {
      'pages/a.tsx': "import Button from '../lib/button.mts'\nexport default () => <Button />\n",
      'lib/button.mts': 'export const Button = () => null\n',
    },
    expected: ['HYD_BUILD_IMPORT_NAME pages/a.tsx:1:8'],
    message: '"lib/button.mts" has no export "default"; did you mean "import { Button }"?',
  },
  {
    title: 'the default export of a module that exports another name',
    files: {
      'pages/a.tsx': "import Button from '../lib/button'\nexport default () => <Button />\n",
      'lib/button.ts': 'export const Knob = () => null\n',
    },
    expected: ['HYD_BUILD_IMPORT_NAME pages/a.tsx:1:8'],
    message: '"lib/button.ts" has no export "default"',
  },
  {
    title: 'the name of a module that has only a default export',
    files: {
      'pages/a.tsx': "import { Button } from '../lib/button'\nexport default () => <Button />\n",
      'lib/button.tsx': 'export default function Button() {\n  return null\n}\n',
    },
    expected: ['HYD_BUILD_IMPORT_NAME pages/a.tsx:1:10'],
    message: '"lib/button.tsx" has no export "Button"; did you mean "import Button"?',
  },
  {
    title: 'names that hydrant does not export',
    files: {
      'pages/index.server.ts':
        'import {\n  HttpError,\n  redirct as go,\n} from \'hydrant\'\nimport { useNavigation, cookies } from "hydrant"\nexport const load = () => go(String([HttpError, useNavigation, cookies]))\n',
    },
    expected: [
      'HYD_BUILD_IMPORT_NAME pages/index.server.ts:3:3',
      'HYD_BUILD_IMPORT_NAME pages/index.server.ts:5:10',
      'HYD_BUILD_IMPORT_NAME pages/index.server.ts:5:25',
    ],
    message: '"hydrant" has no export "redirct"; did you mean "redirect"?',
    fixes: ['Correct the name', 'Correct the name', 'Read request.headers'],
  },
  {
    title: 'a name of hydrant that is imported from hydrant/react',
    files: {
      'pages/index.server.ts': "import { notFound } from 'hydrant/react'\nexport const load = () => notFound()\n",
    },
    expected: ['HYD_BUILD_IMPORT_NAME pages/index.server.ts:1:10'],
    message: '"hydrant/react" has no export "notFound"; import it from "hydrant"',
  },
  {
    title: 'names of other frameworks, in both bundles',
    files: {
      'pages/a.tsx':
        "import { Link, redirect } from 'hydrant/react'\nexport default () => <Link>{String(redirect)}</Link>\n",
      'pages/b.tsx': "import { Link } from '../lib/link'\nexport default () => <Link />\n",
      'lib/link.tsx': 'export const Lnik = () => null\n',
    },
    expected: [
      'HYD_BUILD_IMPORT_NAME pages/a.tsx:1:10',
      'HYD_BUILD_IMPORT_NAME pages/a.tsx:1:16',
      'HYD_BUILD_IMPORT_NAME pages/b.tsx:1:10',
    ],
    message: '"hydrant/react" has no export "Link"',
    fixes: ['Write <a href="…"> without an import', 'Import it from "hydrant" in a server file', 'Correct the name'],
  },
  {
    title: 'a site with an old React',
    files: { 'node_modules/react/package.json': '{ "name": "react", "version": "18.3.1" }' },
    expected: ['HYD_REACT_VERSION '],
    message: 'Hydrant needs react and react-dom 19.2 or newer; the site has react 18.3.1',
  },
  {
    title: 'a file without a loader',
    files: { 'pages/a.tsx': "import x from './x.glsl'\nexport default () => <p>{x}</p>\n", 'pages/x.glsl': '' },
    expected: ['HYD_BUILD_LOADER pages/a.tsx:1:15'],
  },
  {
    title: 'CSS modules that compose each other',
    files: {
      'pages/a.tsx': "import s from './a.module.css'\nexport default () => <p className={s.a}>a</p>\n",
      'pages/a.module.css': ".a {\n  composes: b from './b.module.css';\n}\n",
      'pages/b.module.css': ".b {\n  composes: a from './a.module.css';\n}\n",
    },
    expected: ['HYD_BUILD_COMPOSES pages/b.module.css:2:20'],
  },
  {
    title: 'a CSS module with a name that the other one does not have',
    files: {
      'pages/a.tsx': "import s from './a.module.css'\nexport default () => <p className={s.a}>a</p>\n",
      'pages/a.module.css': ".a {\n  composes: c from './b.module.css';\n}\n",
      'pages/b.module.css': '.b {\n  color: red;\n}\n',
    },
    expected: ['HYD_BUILD_SYNTAX pages/a.module.css:2:13'],
  },
  {
    title: 'a plugin that fails',
    files: {
      'hydrant.config.ts':
        "const plugin = { name: 'broken', setup(build) { build.onLoad({ filter: /x\\.ts$/ }, () => { throw new Error('no luck') }) } }\nexport default { esbuild: { plugins: [plugin] } }\n",
      'pages/a.tsx': "import { x } from './x'\nexport default () => <p>{x}</p>\n",
      'pages/x.ts': 'export const x = 1\n',
    },
    expected: ['HYD_BUILD_PLUGIN pages/a.tsx:1:19'],
    message: 'the esbuild plugin "broken" failed: no luck',
  },
  {
    title: 'a file that is no image',
    files: {
      'pages/a.tsx': "import photo from '../images/a.jpg?image'\nexport default () => photo.src\n",
      'images/a.jpg': 'text\n',
    },
    expected: ['HYD_BUILD_IMAGE images/a.jpg'],
    message: 'the image images/a.jpg cannot be used: its size cannot be read',
  },
  {
    title: 'a file whose name is not that of an image',
    files: {
      'pages/a.tsx': "import text from '../text.json?image'\nexport default () => text.src\n",
      'text.json': '{}',
    },
    expected: ['HYD_BUILD_IMAGE pages/a.tsx:1:18'],
    message:
      'the image ../text.json cannot be used: its name does not end with .png, .jpg, .jpeg, .webp, .avif, .gif or .svg',
  },
  {
    title: 'a configuration that throws',
    files: { 'hydrant.config.ts': "throw new Error('no database')\nexport default {}\n" },
    expected: ['HYD_BUILD_CONFIG hydrant.config.ts:1:7'],
    message: 'hydrant.config.ts failed to load: no database',
  },
  {
    title: 'an unknown option for esbuild',
    files: { 'hydrant.config.ts': 'export default { esbuild: async () => ({ plugin: [] }) }\n' },
    expected: ['HYD_OPTION_UNKNOWN hydrant.config.ts:1:18'],
    message: 'unknown option "esbuild.plugin"; did you mean "esbuild.plugins"?',
  },
  {
    title: 'an invalid value of an option for esbuild',
    files: { 'hydrant.config.ts': 'export default { esbuild: { define: { VERSION: 1 } } }\n' },
    expected: ['HYD_OPTION_INVALID hydrant.config.ts:1:18'],
    message: '"esbuild.define["VERSION"]" must be a string; got 1',
  },
  {
    title: 'an option that the server does not know',
    files: { 'hydrant.config.ts': "export default { bse: '/shop' }\n" },
    expected: ['HYD_OPTION_UNKNOWN hydrant.config.ts:1:18'],
    message: 'unknown option "bse"; did you mean "base"?',
  },
  {
    title: 'several options that the server refuses, one of them in an object of its own',
    files: {
      'hydrant.config.ts':
        "const base = 'shop'\nconst timeouts = { loadMs: -1 }\nexport default {\n  base,\n  timeouts,\n  admin: { port: 'x', host: '::1' },\n  strictMode: 1,\n  ...{ [['port'][0]]: -1 },\n}\n",
    },
    expected: [
      'HYD_OPTION_INVALID hydrant.config.ts',
      'HYD_OPTION_INVALID hydrant.config.ts:4:3',
      'HYD_OPTION_INVALID hydrant.config.ts:5:3',
      'HYD_OPTION_INVALID hydrant.config.ts:6:12',
      'HYD_OPTION_INVALID hydrant.config.ts:7:3',
    ],
    message: '"port" must be a whole number from 0 to 65535; got -1',
  },
  {
    title: 'a configuration that is no object',
    files: { 'hydrant.config.ts': "export default 'shop'\n" },
    expected: ['HYD_OPTION_INVALID hydrant.config.ts'],
    message: '"hydrant.config.ts" must be an object; got "shop"',
  },
]
