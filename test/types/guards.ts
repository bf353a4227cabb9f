// The results of guards reach the types of all guards, loads and actions below, without a circle.

import { join } from 'node:path'
import type { Test } from 'tap'
import { projectOf, type TypedSites, writeTypedSite, writeTypes } from './typed-site.ts'

const layout =
  "import type { ReactNode } from 'react'\nexport default ({ children }: { children: ReactNode }) => children\n"

const files = {
  // With `declaration`, the compiler must be able to write the types of all exports.
  'tsconfig.json': '{ "extends": "hydrant/tsconfig.json", "compilerOptions": { "declaration": true } }',
  'session.ts': `
    import { perRequest } from 'hydrant'
    export interface User { name: string; isAdmin: boolean }
    export const currentUser = perRequest(
      async ({ request }, _options?: { mayWrite: boolean }): Promise<User | null> =>
        request.headers.cookie ? { name: request.headers.cookie, isAdmin: false } : null,
    )
  `,
  'server.ts': `
    import type { FastifyInstance } from 'fastify'
    import { currentUser } from './session.ts'
    export default async function server(app: FastifyInstance) {
      app.addHook('onRequest', async (request) => void (await currentUser({ request }))?.name.length)
    }
  `,
  'pages/layout.tsx': layout,
  'pages/layout.server.ts': `
    import type { LayoutGuardContext, LayoutLoadContext } from 'hydrant'
    import { currentUser } from '../session.ts'
    export const guard = async (ctx: LayoutGuardContext<'/'>) => ({ user: await currentUser(ctx), visits: 1 as number | undefined })
    export const load = ({ context }: LayoutLoadContext<'/'>) => ({ name: context.user?.name })
  `,
  'pages/members/layout.tsx': layout,
  'pages/members/layout.server.ts': `
    import { type LayoutGuardContext, type LayoutLoadContext, redirect } from 'hydrant'
    export async function guard({ context }: LayoutGuardContext<'/members'>) {
      // @ts-expect-error the guard's own result is not there yet
      void context.member
      const { user } = context
      if (!user) redirect('/sign-in')
      return { user, member: { since: new Date() } }
    }
    export const load = ({ context }: LayoutLoadContext<'/members'>) => context.member.since.getTime()
  `,
  'pages/members/(staff)/layout.tsx': layout,
  'pages/members/(staff)/layout.server.ts': `
    import { HttpError, type LayoutGuardContext } from 'hydrant'
    export function guard({ context }: LayoutGuardContext<'/members/(staff)'>) {
      if (!context.user.isAdmin) throw new HttpError(403, 'For the staff only')
    }
  `,
  'pages/members/(staff)/[id].tsx': 'export default () => null\n',
  'pages/members/(staff)/[id].server.ts': `
    import type { ActionContext, GuardContext, LoadContext } from 'hydrant'
    export const guard = ({ context, params }: GuardContext<'/members/[id]'>) => {
      const since: Date = context.member.since
      if (params.id === context.user.name) return { order: { id: params.id, since } }
    }
    export function load({ context }: LoadContext<'/members/[id]'>) {
      const all: { user: { name: string }; member: { since: Date }; order?: { id: string; since: Date } } = context
      // @ts-expect-error a guard that does not always return an object leaves it out
      void context.order.id
      return { name: all.user.name, order: context.order?.id }
    }
    export const action = (ctx: ActionContext<'/members/[id]'>) => load(ctx)
  `,
  'pages/members/open.tsx': `
    import type { PageProps } from 'hydrant/react'
    export default function Open({ data }: PageProps<'/members/open'>) {
      const name: string = data
      return <p>{name}</p>
    }
  `,
  'pages/members/open.server.ts': `
    import type { LoadContext } from 'hydrant'
    export const load = ({ context }: LoadContext<'/members/open'>) => context.user.name
    // @ts-expect-error nothing has this name
    export const action = ({ context }: LoadContext<'/members/open'>) => context.nothing
  `,
  'pages/index.tsx': 'export default () => null\n',
  'pages/index.server.ts': `
    import type { GuardContext, LoadContext } from 'hydrant'
    import { currentUser } from '../session.ts'
    export async function guard(): Promise<never> { throw new Error('closed') }
    const anyLoad = (ctx: LoadContext) => ctx.params
    const anyGuard = (ctx: GuardContext) => ctx.context
    export const load = async (ctx: LoadContext<'/'>) => [anyLoad(ctx), anyGuard(ctx), ctx.context.user, await currentUser(ctx, { mayWrite: true })]
    // @ts-expect-error no request
    export const wrong = () => currentUser({})
  `,
}

/** Prepares a site with guards, and one whose types have not been written. */
export async function prepareGuards(t: Test, folder: string): Promise<TypedSites> {
  const { 'pages/members/open.server.ts': _open, ...others } = files
  const dir = writeTypedSite(join(folder, 'guards'), files)
  await writeTypes(t, dir)
  return { projects: [dir, writeTypedSite(join(folder, 'unwritten'), others)].map(projectOf), test }
}

const test: TypedSites['test'] = (t, checked) => {
  t.test('the context of loads and actions is the merged results of the guards', async (t) => {
    for (const { name, errors } of checked) t.strictSame(errors[0], [], name)
  })

  t.test('any context is accepted before the types have been written', async (t) => {
    const isUnused = (line: string) => /TS2578/.test(line)
    for (const { name, errors } of checked)
      t.strictSame(
        errors[1]?.filter((line) => !isUnused(line)),
        [],
        name,
      )
  })
}
