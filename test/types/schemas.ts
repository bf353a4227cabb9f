// The types that come from the schemas of a page.

import { join } from 'node:path'
import type { Test } from 'tap'
import { projectOf, type TypedSites, writeTypedSite, writeTypes } from './typed-site.ts'

const files = {
  'pages/signup.server.ts': `
    import { type ActionContext, invalidForm, type LoadContext } from 'hydrant'
    import { z } from 'zod'
    export const form = z.object({
      email: z.email(),
      age: z.coerce.number(),
      topics: z.array(z.string()),
      address: z.object({ city: z.string() }),
      items: z.array(z.object({ name: z.string() })),
      photo: z.file().optional(),
    })
    export const search = z.object({ page: z.coerce.number().default(1), sort: z.enum(['up', 'down']).optional() })
    export const load = ({ search }: LoadContext<'/signup'>) => ({ page: search.page, sort: search.sort })
    export async function action({ input, search, form: sent }: ActionContext<'/signup'>) {
      const age: number = input.age
      const photo: File | undefined = input.photo
      // @ts-expect-error not in the schema
      input.nope
      if (input.email === 'taken') invalidForm({ email: 'Taken', '': ['a', 'b'] })
      return { age, names: input.items.map(({ name }) => name), page: search.page, size: photo?.size, text: sent.get('x') }
    }
  `,
  'pages/signup.tsx': `
    import { type Field, href, type PageProps } from 'hydrant/react'
    export default function Signup({ data, actionData, invalid, fields, search }: PageProps<'/signup'>) {
      const page: number = data.page + search.page
      const names: string[] | undefined = actionData?.names
      const messages: readonly string[] | undefined = invalid?.issues.email ?? invalid?.issues['']
      const typed: string | string[] | undefined = invalid?.values['address.city']
      const row = 1
      const field: Field = fields.email
      // @ts-expect-error no such field
      fields.nope
      // @ts-expect-error no such field
      invalid?.issues.nope
      return (
        <form method="post" action={href('/signup', {}, { search: { page: 2, sort: 'up' } })}>
          <input defaultValue="x" {...fields.email} />
          <p id={field.errorId}>{field.issues}{messages}{typed}{page}{names}</p>
          <select {...fields.topics} />
          <textarea {...fields['address.city']} />
          <input {...fields[\`items[\${row}].name\`]} />
          <input type="checkbox" {...fields['topics[]'].option('a')} />
          <input {...fields.photo} />
        </form>
      )
    }
    // @ts-expect-error not an option
    href('/signup', {}, { search: { sort: 'sideways' } })
    // @ts-expect-error not in the schema
    href('/signup', {}, { search: { pages: 2 } })
    href('/signup', {}, { search: new URLSearchParams('page=2') })
    href('/plain', {}, { search: { any: 'thing', group: { a: 1 } }, hash: 'x' })
  `,
  'pages/plain.tsx': `
    import type { PageProps } from 'hydrant/react'
    export default function Plain({ search, fields, params, invalid }: PageProps<'/plain'>) {
      const none: undefined = search ?? fields
      const empty: {} = params
      return <p>{String(none)}{Object.keys(empty)}{invalid?.issues['']}{invalid?.values.anything}</p>
    }
  `,
  'pages/plain.server.ts': `
    import { type ActionContext, type LoadContext } from 'hydrant'
    export const load = ({ search }: LoadContext<'/plain'>) => { const none: undefined = search; return none }
    export const action = ({ input }: ActionContext<'/plain'>) => { const none: undefined = input; return none }
  `,
  'pages/products/[id].tsx': `
    import type { PageProps } from 'hydrant/react'
    export default function Product({ params, data }: PageProps<'/products/[id]'>) {
      const id: number = params.id + data
      return <p>{id}</p>
    }
  `,
  'pages/products/[id].server.ts': `
    import type { LoadContext } from 'hydrant'
    import { type } from 'arktype'
    export const params = type({ id: 'string.integer.parse' })
    export const load = ({ params }: LoadContext<'/products/[id]'>) => params.id
  `,
  'pages/valibot.tsx': `
    import type { PageProps } from 'hydrant/react'
    export default ({ fields, invalid }: PageProps<'/valibot'>) => <input {...fields.email} title={invalid?.issues.email?.[0]} />
  `,
  'pages/valibot.server.ts': `
    import type { ActionContext } from 'hydrant'
    import * as v from 'valibot'
    export const form = v.object({ email: v.pipe(v.string(), v.email()), n: v.pipe(v.string(), v.transform(Number)) })
    export const action = ({ input }: ActionContext<'/valibot'>) => { const n: number = input.n; return n }
  `,
  'pages/articles/[slug].server.ts': `
    import { type ActionContext, type LoadContext, redirect } from 'hydrant'
    import { z } from 'zod'
    const comment = z.object({ text: z.string(), stars: z.coerce.number() })
    const vote = z.object({ up: z.stringbool() })
    export const load = ({ params }: LoadContext<'/articles/[slug]'>) => params.slug
    export const guard = () => ({ user: 'ada' })
    export const actions = {
      comment: {
        form: comment,
        async action({ input, params, context }: ActionContext<'/articles/[slug]', typeof comment>) {
          const stars: number = input.stars
          // @ts-expect-error not in the schema
          input.nope
          if (stars > 5) redirect('/plain')
          return { text: input.text, of: params.slug, by: context.user }
        },
      },
      vote: { form: vote, action: ({ input }: ActionContext<'/articles/[slug]', typeof vote>) => input.up },
      favourite({ input, context: { user } }: ActionContext<'/articles/[slug]'>) {
        const none: undefined = input
        return [user, none]
      },
    }
  `,
  'pages/articles/[slug].tsx': `
    import { type Field, href, type PageProps, useSubmission } from 'hydrant/react'
    type Props = PageProps<'/articles/[slug]'>
    export default function Article({ actions, actionData, fields, params: { slug } }: Props) {
      const none: undefined = actionData ?? fields
      const result: { text: string; of: string; by: string } | undefined = actions.comment.data
      const up: boolean | undefined = actions.vote.data
      const field: Field = actions.comment.fields.stars
      const messages: readonly string[] | undefined = actions.vote.invalid?.issues.up
      const noFields: undefined = actions.favourite.fields
      const messagesOfIt: readonly string[] | undefined = actions.favourite.invalid?.issues['any']
      // @ts-expect-error a field of the other form
      actions.vote.fields.stars
      // @ts-expect-error a field of the other form
      actions.comment.invalid?.issues.up
      // @ts-expect-error no such action
      actions.nope
      const voting = useSubmission('/articles/[slug]', { slug }, { action: 'vote' })
      const voted: boolean | undefined = voting.data
      // @ts-expect-error not any
      voting.data?.nope
      const plain: undefined = useSubmission('/articles/[slug]', { slug }).data
      // @ts-expect-error no such action
      useSubmission('/articles/[slug]', { slug }, { action: 'nope' })
      // @ts-expect-error a parameter is missing
      useSubmission('/articles/[slug]', {}, { action: 'vote' })
      return (
        <form method="post" action={href('/articles/[slug]', { slug }, { action: 'comment', search: { page: 1 } })}>
          <input {...field} />
          {[none, result?.text, up, messages, noFields, messagesOfIt, voted, plain].map(String)}
        </form>
      )
    }
    // @ts-expect-error no such action
    href('/articles/[slug]', { slug: 'x' }, { action: 'nope' })
    // @ts-expect-error the page has one action, without a name
    href('/plain', {}, { action: 'comment' })
    export const withoutNames = ({ actions }: PageProps<'/plain'>): undefined => actions
    export const ofAny = ({ actions }: PageProps): unknown => actions
  `,
  'own.ts': `
    import type { StandardSchemaV1 } from '@standard-schema/spec'
    import type { StandardSchema } from 'hydrant/react'
    export const standard = (schema: StandardSchemaV1<string, number>): StandardSchema<string, number> => schema
    export const back = (schema: StandardSchema<string, number>): StandardSchemaV1<string, number> => schema
  `,
  'any.ts': `
    import type { ActionContext, LoadContext } from 'hydrant'
    import type { PageProps } from 'hydrant/react'
    export const shared = ({ params, search }: LoadContext) => {
      const value: string | number | undefined = params.anything
      // @ts-expect-error not only texts
      const text: string | undefined = params.anything
      // @ts-expect-error not any
      return [params.anything?.nope, value, text, search]
    }
    export const Shown = ({ params }: PageProps) => {
      // @ts-expect-error not any
      params.anything?.nope
      return String(params.anything)
    }
    export const numbered = (ctx: LoadContext<'/products/[id]'>) => shared(ctx)
    export const plain = (ctx: ActionContext<'/plain'>) => shared(ctx)
    export const ofPage = (props: PageProps<'/products/[id]'>) => Shown(props)
    export const acts = ({ input }: ActionContext) => input
    export const shows = ({ invalid, fields, search }: PageProps) => [invalid?.issues['x'], fields, search]
  `,
}

/** A site whose types have not been written. */
const unwritten = {
  'pages/x/[id].tsx': `
    import { href, type PageProps } from 'hydrant/react'
    export default ({ search, fields, invalid, params, actions }: PageProps<'/x/[id]'>) => (
      <input {...fields.email} {...actions.any.fields.email} title={href('/y', {}, { action: 'x' }) + search.page + invalid?.issues.email?.[0] + params.id + href('/y', {}, { search: { a: 1 } })} />
    )
  `,
  'pages/x/[id].server.ts': `
    import type { ActionContext } from 'hydrant'
    export const action = ({ input, search, params }: ActionContext<'/x/[id]'>) => [input.email, search.page, params.id]
  `,
}

/** Prepares a site with schemas, and one whose types have not been written. */
export async function prepareSchemas(t: Test, folder: string): Promise<TypedSites> {
  const dir = writeTypedSite(join(folder, 'schemas'), files)
  await writeTypes(t, dir)
  return { projects: [dir, writeTypedSite(join(folder, 'unwritten'), unwritten)].map(projectOf), test }
}

const test: TypedSites['test'] = (t, checked) => {
  t.test('a page knows the types of its schemas', async (t) => {
    for (const { name, errors } of checked) t.strictSame(errors[0], [], name)
  })

  t.test('without hydrant-env.d.ts nothing is an error', async (t) => {
    for (const { name, errors } of checked) t.strictSame(errors[1], [], name)
  })
}
