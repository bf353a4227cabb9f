// The names of other frameworks, and what Hydrant has in their place: files, exports, imports and packages. A site that
// moves to Hydrant still has them.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { closestMatch } from '../../../src/server/util/closest-match.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'

const FRAMEWORKS = {
  'Next.js': { chapter: 'next', packages: /^next(?:\/|$)/ },
  'React Router': {
    chapter: 'react-router',
    packages: /^(?:react-router(?:-dom)?|@react-router\/[\w-]+|@remix-run\/[\w-]+)(?:\/|$)/,
  },
  'TanStack Start': {
    chapter: 'tanstack-start',
    packages: /^@tanstack\/(?:react-start|react-router|start-\w+)(?:\/|$)/,
  },
  Vike: { chapter: 'vike', packages: /^(?:vike|vike-react)(?:\/|$)/ },
  '@fastify/react': { chapter: 'fastify-react', packages: /^(?:@fastify\/(?:react|vite)|\$app)(?:\/|$)/ },
  'another framework': { chapter: 'coming-from', packages: /(?!)/ },
} as const

type Framework = keyof typeof FRAMEWORKS

/** Returns the sentence that leads to the chapter for the users of a framework. */
export function chapterFix(framework: Framework): string {
  return `See "hydrant docs ${FRAMEWORKS[framework].chapter}" for a move from ${framework}.`
}

type Replacement = readonly [names: readonly string[], fix: string]

const REPLACEMENTS: readonly Replacement[] = [
  [['Link', 'NavLink'], 'Write <a href="…"> without an import; "href" of "hydrant/react" checks the route.'],
  [
    ['useNavigate', 'useRouter', 'navigate'],
    'Call navigation.navigate(url) of the browser; the page has its address in the props "params" and "url".',
  ],
  [
    ['useLoaderData', 'useData', 'useRouteContext'],
    'Take the data that the load has returned from the prop "data" of the page or the layout; in other components, call useLayoutData() of "hydrant/react".',
  ],
  [
    ['useLocation', 'usePathname', 'usePageContext'],
    'Call useUrl() of "hydrant/react", or take the prop "url" of the page or the layout.',
  ],
  [
    ['useSearchParams', 'useSearch'],
    'Take the query from the prop "url", as url.searchParams, or from the prop "search" of a page with a schema; see "hydrant docs search".',
  ],
  [
    ['useActionData', 'useActionState', 'useFormState'],
    'Take the value that the action has returned from the prop "actionData" of the page.',
  ],
  [['Outlet'], 'Render the prop "children" of the layout.'],
  [
    ['Form'],
    'Write <form method="post"> without an import; the action of the page handles it; see "hydrant docs forms".',
  ],
  [
    ['useFetcher', 'useSubmit'],
    'Call useSubmission() of "hydrant/react" to send a form, or fetch() to read data; see "hydrant docs submissions".',
  ],
  [['useRevalidator'], 'Call refresh() of "hydrant/react"; after an action, the loads run again by themselves.'],
  [
    ['Head', 'Meta', 'Links'],
    'Write <title>, <meta> and <link> in any component without an import; React moves them into <head>.',
  ],
  [
    ['Script'],
    'Add the script element to the document in an effect (useEffect); a <script> in the component does not run; see "hydrant docs security".',
  ],
  [['Scripts', 'ScrollRestoration', 'HeadContent'], 'Remove it; Hydrant adds its scripts by itself.'],
  [['redirect', 'notFound'], 'Import it from "hydrant" in a server file, for its guard, load or action.'],
  [
    ['createFileRoute', 'createRootRoute'],
    'Make the component the default export of a file in pages/; the path of the file is the route.',
  ],
  [['createServerFn'], 'Write a load or an action in the server file of the page; see "hydrant docs loads".'],
  [['json', 'defer'], 'Return the value itself from the load or the action; it may contain promises.'],
  [['cookies', 'headers'], 'Read request.headers, or request.cookies of @fastify/cookie, in a guard, load or action.'],
  [
    ['revalidatePath', 'revalidateTag'],
    'Call app.pageCache.invalidate() in the action, with the "app" of its context; see "hydrant docs cache".',
  ],
]

/** By names of other frameworks that people import from Hydrant: the fix says what Hydrant has in their place. */
export const FOREIGN_NAMES: ReadonlyMap<string, string> = new Map(
  REPLACEMENTS.flatMap(([names, fix]) => names.map((name) => [name, fix] as const)),
)

/** Returns the fix of the import of a package or an alias of another framework; undefined for any other import. */
export function foreignPackageFix(specifier: string): string | undefined {
  if (/^[@~]\//.test(specifier))
    return `Add the alias "${specifier[0]}/*" to "paths" in tsconfig.json, or write a relative path.`
  const found = Object.values(FRAMEWORKS).find(({ packages }) => packages.test(specifier))
  return found && `Remove the import: "hydrant docs ${found.chapter}" says what Hydrant has in place of this package.`
}

/** Returns the fix of the import of a name of another framework from Hydrant; undefined for any other import. */
export function foreignFix(module: string, name: string): string | undefined {
  return module === 'hydrant' || module === 'hydrant/react' ? FOREIGN_NAMES.get(name) : undefined
}

/** Names that other frameworks give to the exports of server files. */
export const FOREIGN_EXPORTS = new Map([
  ['getServerSideProps', 'load'],
  ['getStaticProps', 'load'],
  ['getInitialProps', 'load'],
  ['loader', 'load'],
  ['clientLoader', 'load'],
  ['getData', 'load'],
  ['beforeLoad', 'guard'],
  ['middleware', 'guard'],
  ['clientAction', 'action'],
  ['getStaticPaths', 'prerender'],
  ['generateStaticParams', 'prerender'],
])

/** Exports with which other frameworks fill the head. A module in MDX may have them for the modules that import it. */
export const HEAD_EXPORTS = ['metadata', 'generateMetadata', 'generateViewport', 'meta', 'getMeta', 'links']

/** Returns the export that an unknown export of a server file probably means. */
export function meantExport(name: string, allowed: readonly string[]): string | undefined {
  const other = FOREIGN_EXPORTS.get(name)
  return other !== undefined && allowed.includes(other) ? other : closestMatch(name, allowed)
}

/** Names in pages/ with a meaning of their own, and the names that other frameworks give to the same file. */
export const RESERVED_NAMES = new Map([
  ['index', ['page', '+page', '+Page']],
  ['layout', ['+layout', '+Layout']],
  ['error', ['+error', '500']],
  ['not-found', ['404']],
])
/** The parameters of React Router, whose file names may have dots in place of folders. */
export const DOLLARS = /(?<=[/.])\$(\w+)/g
/** The parameters of Vike. */
export const AT_SIGNS = /(?<=^|\/)@(\w+)/g
/** Files of other frameworks at the root of pages/, without extensions. A name that begins with `_` is ignored. */
export const IGNORED_NAMES = new Map([
  ['_app', 'layout'],
  ['_document', 'layout'],
  ['__root', 'layout'],
  ['_index', 'index'],
  ['_error', 'error'],
])
export const NO_PAGES = new Map([
  // Next.js shows it while a page is loaded.
  ['loading', 'a <Suspense fallback> in a page'],
  ['global-error', 'pages/error.tsx'],
  ['entry.client', 'an effect in pages/layout.tsx'],
])
/** The files of Vike without a component. */
export const PLUS = /^(?<folder>.*?)\+(?<name>\w+)\.(?<extension>[jt]sx?)$/
export const PLUS_NAMES = new Map([
  ['data', '"load" in %index.server.ts'],
  ['onBeforeRender', '"load" in %index.server.ts'],
  ['guard', '"guard" in %layout.server.ts'],
  ['onBeforePrerenderStart', '"prerender" in %index.server.ts'],
  ['config', 'an export of %index.server.ts'],
  ['route', 'the name of a folder'],
  ['Head', '<title>, <meta> or <link> in a component'],
  ['title', '<title> in a component'],
  ['description', '<meta> in a component'],
  ['Wrapper', '%layout.tsx'],
])

export interface ForeignFile {
  path: string
  framework: Framework
  /** What the file is in Hydrant. */
  meaning: string
  /** What Hydrant has in its place. */
  meant: string
}

interface Rule extends Omit<ForeignFile, 'path'> {
  path: RegExp
  /** A text in the code of such a file (any). */
  code?: RegExp
}

const ORDINARY = 'an ordinary module'
const FUNCTIONS = /^export\s+(?:async\s+)?(?:function|const)\s+(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\b/m
const BUNDLER_PLUGINS =
  /['"](?:@react-router\/dev|@remix-run\/dev|@tanstack\/react-start|@tanstack\/router-plugin|@fastify\/(?:vite|react)|vike)[/'"]/

const next = (path: RegExp, code: RegExp, meaning: string, meant: string): Rule => ({
  ...{ path, code, framework: 'Next.js', meaning, meant },
})
const routes = (framework: Framework, path: RegExp): Rule => ({
  ...{ path, framework, meaning: 'not read', meant: 'a file in pages/' },
})
const settings = (framework: Framework, path: RegExp, code = /^/): Rule => ({
  ...{ path, code, framework, meaning: 'not read', meant: 'hydrant.config.ts' },
})

const IN_PAGES: readonly Rule[] = [
  next(/(?:^|\/)route\.[jt]s$/, FUNCTIONS, ORDINARY, 'a route in server.ts'),
  next(/^api\/.*(?<!\.d|\.server)\.[jt]s$/, /^export\s+default\b/m, ORDINARY, 'a route in server.ts'),
  next(/(?:^|\/)template\.[jt]sx$/, /\bchildren\b/, 'a page', 'a component with a key in layout.tsx'),
]

/** The folders of the site in which other frameworks have files, relative to it. Those with routes are first. */
export const FOREIGN_FOLDERS: readonly string[] = ['app', 'src/app', 'src/routes', 'app/routes', '', 'src']

const OUTSIDE: readonly Rule[] = [
  next(
    /^(?:src\/)?(?:middleware|proxy)\.[jt]s$/,
    /['"]next\/server['"]|^export\s+const\s+config\b[^;]*?\bmatcher\b/m,
    ORDINARY,
    'a guard in pages/layout.server.ts',
  ),
  next(
    /^(?:src\/)?instrumentation\.[jt]s$/,
    /^export\s+(?:async\s+)?(?:function|const)\s+(?:register|onRequestError)\b/m,
    ORDINARY,
    'the plugin in server.ts',
  ),
  settings('Next.js', /^next\.config\.[cm]?[jt]s$/),
  settings('React Router', /^react-router\.config\.[jt]s$/),
  settings('another framework', /^vite\.config\.[cm]?[jt]s$/, BUNDLER_PLUGINS),
  routes('Next.js', /^(?:src\/)?app\/page\.[jt]sx$/),
  routes('React Router', /^app\/root\.[jt]sx$/),
  routes('TanStack Start', /^(?:src|app)\/routes\/__root\.[jt]sx$/),
]

/**
 * Finds files that another framework reads, by their names and their code. Hydrant does not read them, or they have another
 * meaning, so a site that moves would lose them without a word.
 *
 * @param pages The paths of the files in pages/, relative to it.
 * @param others The paths of the files in `FOREIGN_FOLDERS`, relative to the site.
 */
export async function findForeignFiles(
  siteDir: string,
  pages: readonly string[],
  others: readonly string[],
): Promise<ForeignFile[]> {
  const read = (path: string) => readFile(join(siteDir, path), 'utf8').catch(() => '')

  async function find(rules: readonly Rule[], path: string, file: string): Promise<ForeignFile[]> {
    const named = rules.filter((rule) => rule.path.test(path))
    const source = named.some(({ code }) => code) ? await read(file) : ''
    const found = named.find(({ code }) => code?.test(source) ?? true)
    return found ? [{ path: file, framework: found.framework, meaning: found.meaning, meant: found.meant }] : []
  }

  const inPages = await Promise.all(pages.map((path) => find(IN_PAGES, path, `pages/${path}`)))
  const outside = (await Promise.all(others.map((path) => find(OUTSIDE, path, path)))).flat()
  if (outside.length === 0) return inPages.flat()
  // Hydrant gives these names no meaning, so a site may have modules of its own with them.
  const importers = [...pages.map((path) => `pages/${path}`), 'server.ts', 'server.js']
  const scripts = importers.filter((path) => /\.[jt]sx?$/.test(path))
  const sources = await mapWithLimit(scripts, FILES_AT_A_TIME, read)
  const isImported = ({ path }: ForeignFile) => {
    const specifier = new RegExp(`/${path.replace(/\.\w+$/, '').replaceAll('.', '\\.')}(?:\\.\\w+)?['"]`)
    return sources.some((source) => specifier.test(source))
  }
  return [...inPages.flat(), ...outside.filter((file) => !isImported(file))]
}
