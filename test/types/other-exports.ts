// The declarations give access to all exports of a page's server file and of the layouts around the page. So the type of
// an argument of `load` may depend on them, without a circle: TypeScript reports circles as TS2456, TS7022 and TS7023.

import type { Test } from 'tap'
import { projectOf, type TypedSites, writeTypedSite, writeTypes } from './typed-site.ts'

const contexts = `
  import type { Layouts, Routes } from 'hydrant/react'
  export interface Schema<Output> { output: () => Output }
  export const schema = <Output>(output: Output): Schema<Output> => ({ output: () => output })
  type Guarded<Module> = Module extends { guard: (...args: never[]) => infer Result } ? Awaited<Result> : {}
  type Above<Keys> = Keys extends [infer Key extends keyof Layouts, ...infer Rest]
    ? Guarded<Layouts[Key]['server']> & Above<Rest>
    : {}
  type Output<Module, Name extends string> = Module extends { [Key in Name]: Schema<infer Result> } ? Result : {}
  export interface LayoutGuard<Key extends keyof Layouts> { context: Above<Layouts[Key]['layouts']> }
  export interface Guard<Route extends keyof Routes> {
    context: Above<Routes[Route]['layouts']>
    search: Output<Routes[Route]['server'], 'search'>
  }
  export interface Load<Route extends keyof Routes> extends Guard<Route> {
    context: Above<Routes[Route]['layouts']> & Guarded<Routes[Route]['server']>
  }
  export interface Act<Route extends keyof Routes> extends Load<Route> { input: Output<Routes[Route]['server'], 'form'> }
`

const files = {
  'contexts.ts': contexts,
  'pages/layout.tsx': 'export default () => null\n',
  'pages/layout.server.ts': `
    import type { LayoutGuard } from '../contexts.ts'
    export const guard = async ({ context }: LayoutGuard<'/'>) => ({ user: 'x', ...context })
  `,
  'pages/(staff)/x/layout.tsx': 'export default () => null\n',
  'pages/(staff)/x/layout.server.ts': `
    import type { LayoutGuard } from '../../../contexts.ts'
    export function guard({ context }: LayoutGuard<'/(staff)/x'>) {
      return { isAdmin: context.user === 'y' }
    }
  `,
  'pages/(staff)/x/[id].tsx': `
    import type { PageProps } from 'hydrant/react'
    type Props = PageProps<'/x/[id]'>
    export default function Page({ data, actionData, visitorData }: Props) {
      const all: { isAdmin: boolean; user: string; page: number; own: string } = data
      const cart: Promise<{ cart: string }> = visitorData
      // @ts-expect-error it is a promise
      visitorData.cart
      void cart
      const email: string | undefined = actionData?.email
      return <p>{all.user}{email}</p>
    }
    // @ts-expect-error not in the data
    export const wrong = (props: Props) => props.data.nope
  `,
  'pages/(staff)/x/[id].server.ts': `
    import { type Act, type Guard, type Load, schema } from '../../../contexts.ts'
    export const search = schema({ page: 1 })
    export const form = schema({ email: 'x' })
    export const guard = async ({ context, search }: Guard<'/x/[id]'>) => ({ own: context.user + search.page })
    export const load = async ({ context, search }: Load<'/x/[id]'>) => ({ ...context, page: search.page })
    export const loadVisitor = ({ context }: Load<'/x/[id]'>) => ({ cart: context.own })
    export async function action(ctx: Act<'/x/[id]'>) {
      return { email: ctx.input.email, ...(await load(ctx)) }
    }
  `,
}

/** Prepares a site whose arguments of loads and actions depend on other exports. */
export async function prepareOtherExports(t: Test, folder: string): Promise<TypedSites> {
  const dir = writeTypedSite(folder, files)
  await writeTypes(t, dir)
  return { projects: [projectOf(dir)], test }
}

const test: TypedSites['test'] = (t, checked) => {
  t.test('types may depend on other exports of the server files', async (t) => {
    for (const { name, errors } of checked) t.strictSame(errors[0], [], name)
  })
}
