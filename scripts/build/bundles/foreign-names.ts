import { createHydrantError, type HydrantError } from '../../../src/server/errors/hydrant-error.ts'
import { closestMatch } from '../../../src/server/util/closest-match.ts'
import type { BuildProblem, SourceLocation } from '../../build-problem.ts'
import { HYDRANT_EXPORTS, REACT_EXPORTS } from '../esbuild/hydrant-files.ts'

type Replacement = readonly [names: readonly string[], fix: string]

const REPLACEMENTS: readonly Replacement[] = [
  [['Link', 'NavLink'], 'Write <a href="…"> without an import; "href" of "hydrant/react" checks the route.'],
  [
    ['useNavigate', 'useRouter', 'navigate'],
    'Call navigation.navigate(url) of the browser; the page has its address in the props "params" and "url".',
  ],
  [
    ['useLoaderData', 'useData', 'useRouteContext'],
    'Take the data that the load has returned from the prop "data" of the page or the layout.',
  ],
  [
    ['useParams', 'useLocation', 'usePathname', 'usePageContext'],
    'Take the address from the props "params" and "url" of the page or the layout.',
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

/** The packages of other frameworks, with the chapters for their users. */
const FRAMEWORKS: readonly (readonly [packages: RegExp, chapter: string])[] = [
  [/^next(?:\/|$)/, 'next'],
  [/^(?:react-router(?:-dom)?|@react-router\/[\w-]+|@remix-run\/[\w-]+)(?:\/|$)/, 'react-router'],
  [/^@tanstack\/(?:react-start|react-router|start-\w+)(?:\/|$)/, 'tanstack-start'],
  [/^(?:vike|vike-react)(?:\/|$)/, 'vike'],
  [/^(?:@fastify\/(?:react|vite)|\$app)(?:\/|$)/, 'fastify-react'],
]

/** Returns the fix of the import of a package or an alias of another framework; undefined for any other import. */
export function foreignPackageFix(specifier: string): string | undefined {
  if (/^[@~]\//.test(specifier))
    return `Add the alias "${specifier[0]}/*" to "paths" in tsconfig.json, or write a relative path.`
  const [, chapter] = FRAMEWORKS.find(([packages]) => packages.test(specifier)) ?? []
  return chapter && `Remove the import: "hydrant docs ${chapter}" says what Hydrant has in place of this package.`
}

/** Returns the fix of the import of a name of another framework from Hydrant; undefined for any other import. */
export function foreignFix(module: string, name: string): string | undefined {
  return module === 'hydrant' || module === 'hydrant/react' ? FOREIGN_NAMES.get(name) : undefined
}

/** Describes the import of a name that a package does not export. */
export function createNameProblem(
  module: string,
  name: string,
  known: readonly string[],
  location: SourceLocation | null,
): BuildProblem {
  const { message, fix } = createNameError(module, name, known)
  return { code: 'HYD_BUILD_IMPORT_NAME', message, fix, location }
}

/** Creates the error of an import of a name that a package does not export. */
export function createNameError(module: string, name: string, known: readonly string[]): HydrantError {
  const fix = foreignFix(module, name)
  const hint = hintAtOther(module, name) || (fix === undefined ? hintAtSimilar(name, known) : '')
  const error = createHydrantError('HYD_BUILD_IMPORT_NAME', [module, name, hint])
  return fix === undefined ? error : Object.assign(error, { fix })
}

/** Returns the part of the message that names the other module of Hydrant if it has the export. */
function hintAtOther(module: string, name: string): string {
  const other = module === 'hydrant' ? 'hydrant/react' : 'hydrant'
  const ofOther = module === 'hydrant' ? REACT_EXPORTS : module === 'hydrant/react' ? HYDRANT_EXPORTS : []
  return ofOther.includes(name) ? `; import it from "${other}"` : ''
}

/** Returns the part of the message that names the export that was probably meant; an empty string for none. */
function hintAtSimilar(name: string, known: readonly string[]): string {
  const closest = closestMatch(name, known)
  return closest ? `; did you mean "${closest}"?` : ''
}
