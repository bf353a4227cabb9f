import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { projectOf, type TypedSites, writeTypedSite, writeTypes } from './typed-site.ts'

// `Equal` is false also if one of its types is `any`.
const equal = `type Same<T> = <U>() => U extends T ? 1 : 2
export type Equal<A, B> = Same<A> extends Same<B> ? true : false
`

const files = {
  'equal.ts': equal,
  'pages/layout.tsx': `
    import type { ReactNode } from 'react'
    import type { LayoutProps } from 'hydrant/react'
    import type { Equal } from '../equal.js'
    export default function Root({ children }: LayoutProps<'/'>) {
      return <html lang="en"><body>{children}</body></html>
    }
    export const props: Equal<LayoutProps<'/'>['data'], undefined> = true
    export const shared = ({ data, params, children }: LayoutProps): [unknown, string | undefined, ReactNode] =>
      [data, params.any, children]
  `,
  'pages/index.tsx': `
    import { href, type PageProps } from 'hydrant/react'
    import type { Equal } from '../equal.js'
    type Props = PageProps<'/'>
    export const data: Equal<Props['data'], undefined> = true
    export const acted: Equal<Props['actionData'], { problem: string } | undefined> = true
    export default ({ actionData }: Props) => <a href={href('/')}>{actionData?.problem}</a>
  `,
  // An action alone, which ends with a redirect.
  'pages/index.server.ts': `
    import { type ActionContext, redirect } from 'hydrant'
    export async function action({ form, params, request }: ActionContext<'/'>) {
      if (form.has('x')) return { problem: request.ip + Object.keys(params).length }
      redirect('/')
    }
  `,
  'pages/plain.tsx': `
    import type { PageProps } from 'hydrant/react'
    import type { Equal } from '../equal.js'
    export const exact: [
      Equal<PageProps<'/plain'>['data'], undefined>,
      Equal<PageProps<'/plain'>['actionData'], undefined>,
      Equal<keyof PageProps<'/plain'>['params'], never>,
    ] = [true, true, true]
    export default () => null
  `,
  // Two layouts for the same path, in two groups.
  'pages/(shop)/products/layout.tsx': `
    import { type LayoutProps, useLayoutData, useParams, useUrl } from 'hydrant/react'
    import type { Equal } from '../../../equal.js'
    export const data: Equal<LayoutProps<'/(shop)/products'>['data'], { cart: number }> = true
    export const useAll = (): [{ cart: number }, string, { id: string }, URL] =>
      [useLayoutData('/(shop)/products'), useLayoutData('/(staff)/products'), useParams('/products/[id]'), useUrl()]
    export default ({ children, data }: LayoutProps<'/(shop)/products'>) => <div title={String(data.cart)}>{children}</div>
  `,
  'pages/(shop)/products/layout.server.ts': `
    import type { LayoutLoadContext } from 'hydrant'
    export const load = async ({ app }: LayoutLoadContext<'/(shop)/products'>) => ({ cart: app.version.length })
  `,
  'pages/(staff)/products/layout.tsx': `
    import type { LayoutProps } from 'hydrant/react'
    import type { Equal } from '../../../equal.js'
    export const data: Equal<LayoutProps<'/(staff)/products'>['data'], string> = true
    export default ({ children }: LayoutProps<'/(staff)/products'>) => children
  `,
  'pages/(staff)/products/layout.server.ts': "export const load = () => 'staff' as string\n",
  'pages/(staff)/products/new.tsx': 'export default () => null\n',
  'pages/(shop)/products/[id].tsx': `
    import { Suspense, use } from 'react'
    import { href, type PageProps } from 'hydrant/react'
    import type { Equal } from '../../../equal.js'
    type Props = PageProps<'/products/[id]'>
    type Data = { id: string; also: string | undefined; later: Promise<number[]> }
    export const data: Equal<Props['data'], Data> = true
    export const acted: Equal<Props['actionData'], (Data & { size: number }) | { from: string } | undefined> = true
    export const params: Equal<Props['params'], { id: string }> = true
    export default function Product({ data, params: { id }, actionData }: Props) {
      const acted = actionData && 'from' in actionData ? actionData.from : undefined
      return <a href={href('/products/[id]', { id })}>{acted}<Suspense><Later later={data.later} /></Suspense></a>
    }
    const Later = ({ later }: Pick<Props['data'], 'later'>) => <b>{use(later)[0]}</b>
    const Shared = ({ params, data, url }: PageProps) => <b title={url.href}>{params.id}{String(data)}</b>
    export const shows = (props: Props) => <Shared {...props} />
  `,
  // A load that links, reads another page's data, and calls a function for any context; an action that calls the load.
  'pages/(shop)/products/[id].server.ts': `
    import { type ActionContext, type LoadContext, notFound } from 'hydrant'
    import { href, type PageProps } from 'hydrant/react'
    const idOf = ({ params }: LoadContext) => params.id
    const changed = ({ form, params }: ActionContext) => form.has('x') && params.id !== undefined
    export async function load(ctx: LoadContext<'/products/[id]'>) {
      const id: string = ctx.params.id
      if (id === href('/products/[id]', { id })) notFound()
      return { id, also: idOf(ctx), later: Promise.resolve([1]) }
    }
    export async function action(ctx: ActionContext<'/products/[id]'>) {
      if (!changed(ctx)) return { from: await other('x') }
      return { ...(await load(ctx)), size: 1 } as Awaited<ReturnType<typeof load>> & { size: number }
    }
    const other = async (from: PageProps<'/docs/[lang]/[...path]'>['data']) => from
  `,
  'pages/docs/[lang]/layout.tsx': `
    import type { LayoutProps } from 'hydrant/react'
    import type { Equal } from '../../../equal.js'
    export const params: Equal<LayoutProps<'/docs/[lang]'>['params'], { lang: string }> = true
    export default ({ children }: LayoutProps<'/docs/[lang]'>) => children
  `,
  'pages/docs/[lang]/[...path].tsx': `
    import type { PageProps } from 'hydrant/react'
    import type { Equal } from '../../../equal.js'
    type Props = PageProps<'/docs/[lang]/[...path]'>
    export const params: Equal<Props['params'], { lang: string; path: string }> = true
    export const data: Equal<Props['data'], string> = true
    export default ({ data }: Props) => <p>{data}</p>
  `,
  'pages/docs/[lang]/[...path].server.ts': `
    import type { LoadContext } from 'hydrant'
    export const load = async ({ params }: LoadContext<'/docs/[lang]/[...path]'>) => params.lang + params.path
  `,
  "pages/(it's)/no-load.tsx": 'export default () => null\n',
  // A server file without a load, and with an export that is not a function.
  "pages/(it's)/no-load.server.ts": 'export const stream = false\n',
  'pages/early.tsx': `
    import type { PageProps } from 'hydrant/react'
    import type { Equal } from '../equal.js'
    export const none: Equal<PageProps<'/no-load'>['data'], undefined> = true
    export default () => null
  `,
  'urls.d.ts':
    "export {}\ndeclare module 'hydrant/react' {\n  interface Routes {\n    '/robots.txt': unknown\n  }\n}\n",
  'links.ts': "import { href } from 'hydrant/react'\nexport const robots = href('/robots.txt')\n",
}

const strictest = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  jsx: 'react-jsx',
  types: ['node'],
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  isolatedModules: true,
  skipLibCheck: true,
}
/** Also checks the declarations of Hydrant and of the site. Those of TypeScript itself take a second. */
const withDeclarations = { ...strictest, skipLibCheck: false, skipDefaultLibCheck: true }

const settings: Record<string, object> = {
  'the settings of the package': { extends: 'hydrant/tsconfig.json' },
  'a bundler’s resolution': {
    compilerOptions: { ...withDeclarations, module: 'esnext', moduleResolution: 'bundler' },
  },
  'the resolution of Node.js': {
    compilerOptions: { ...withDeclarations, module: 'nodenext', verbatimModuleSyntax: true },
  },
  'extensions of TypeScript in imports': {
    compilerOptions: { ...strictest, module: 'preserve', allowImportingTsExtensions: true },
  },
  'a project that others refer to': {
    compilerOptions: {
      ...strictest,
      module: 'nodenext',
      noEmit: false,
      composite: true,
      emitDeclarationOnly: true,
      // Outside the site, where it would be a part of the other projects.
      outDir: '../out',
      rewriteRelativeImportExtensions: true,
    },
  },
}

const names = Object.keys(settings)

/** A site whose types have not been written. */
const early = {
  'urls.d.ts': files['urls.d.ts'],
  'pages/products/[id].tsx': `
    import { href, type LayoutProps, type PageProps } from 'hydrant/react'
    export const Layout = ({ children, data }: LayoutProps<'/(shop)'>) => <b title={data.name}>{children}</b>
    export default function Product({ data, actionData, params }: PageProps<'/products/[id]'>) {
      const id: string = params.id
      return <a href={href('/products/[id]', { id })}>{data.name}{actionData?.problem}{href('/anywhere')}</a>
    }
  `,
  'pages/products/[id].server.ts': `
    import type { ActionContext, LayoutLoadContext, LoadContext, Prerender } from 'hydrant'
    export const prerender: Prerender<'/products/[id]'> = async () => [{ params: { id: 7 } }, '/products/8']
    // @ts-expect-error no parameter of this route
    export const misspelled: Prerender<'/products/[id]'> = () => [{ params: { nope: 7 } }]
    export const load = ({ params }: LoadContext<'/products/[id]'>): string => params.id
    export const action = ({ params }: ActionContext<'/products/[id]'>): string => params.id
    export const layout = ({ params }: LayoutLoadContext<'/products'>): object => params
    // @ts-expect-error no parameter of this route
    export const wrong = ({ params }: LoadContext<'/products/[id]'>): string => params.nope
  `,
}

/** A page with a server file in JavaScript. */
const old = {
  'pages/old.tsx': `
    import type { PageProps } from 'hydrant/react'
    export default ({ data }: PageProps<'/old'>) => <p>{data.name}</p>
    export const name: PageProps<'/old'>['data'] = { name: 'x' }
  `,
  'wrong.ts': "import type { PageProps } from 'hydrant/react'\nexport const name: PageProps<'/old'>['data'] = {}\n",
  'pages/old.server.js': "export const load = async () => ({ name: 'x' })\n",
}
const withJavaScript = {
  ...old,
  'tsconfig.json': '{ "extends": "hydrant/tsconfig.json", "compilerOptions": { "allowJs": true } }',
}

/** Prepares a site that is checked with all settings, and two others. */
export async function prepareRoutes(t: Test, folder: string): Promise<TypedSites> {
  const dir = writeTypedSite(join(folder, 'site'), { ...files, ...old })
  const projects = names.map((_, index) => join(dir, `tsconfig.${index}.json`))
  for (const [index, config] of Object.values(settings).entries())
    writeFileSync(projects[index] ?? '', JSON.stringify(config))
  const earlyDir = writeTypedSite(join(folder, 'early'), early)
  const oldDir = writeTypedSite(join(folder, 'old'), withJavaScript)
  await writeTypes(t, dir)
  await writeTypes(t, oldDir)
  return {
    projects: [...projects, projectOf(earlyDir), projectOf(oldDir)],
    test,
  }
}

const test: TypedSites['test'] = (t, all) => {
  t.test('data, actionData and params come from the files of the route', async (t) => {
    for (const compiler of all)
      for (const [index, name] of names.entries())
        t.strictSame(compiler.errors[index], [], `${compiler.name} with ${name}`)
  })

  const checked = all.map(({ name, errors }) => ({ name, errors: errors.slice(names.length) }))

  t.test('without hydrant-env.d.ts, any route is accepted, and data is not checked', async (t) => {
    for (const { name, errors } of checked) t.strictSame(errors[0], [], name)
  })

  t.test('a server file in JavaScript has types with allowJs, otherwise its data is not checked', async (t) => {
    for (const { errors } of checked) t.match(errors[1], [/^wrong.ts\(2,14\): error TS2741: Property 'name' .*$/])
    for (const { name, errors } of all) t.strictSame(errors[1], [], name)
  })
}
