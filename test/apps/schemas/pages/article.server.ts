import { type ActionContext, invalidForm, type LoadContext, redirect } from 'hydrant'
import { z } from 'zod'

const comments: string[] = []
let favourites = 0

export const search = z.strictObject({ page: z.coerce.number().default(1) })

const email = z.email('Not an address')
const comment = z.object({ text: z.string().min(2, 'Too short'), email })
const subscribe = z.object({ email })

export const actions = {
  comment: {
    form: comment,
    action({ input }: ActionContext<'/article', typeof comment>) {
      if (input.text === 'spam') invalidForm({ text: 'No spam' })
      comments.push(input.text)
      return { by: input.email }
    },
  },
  subscribe: {
    form: subscribe,
    action: ({ input }: ActionContext<'/article', typeof subscribe>) => input.email,
  },
  favourite({ form, search, url }: ActionContext<'/article'>) {
    favourites++
    if (form.has('leave')) redirect('/plain')
    return { page: search.page, href: url.href }
  },
}

export const load = ({ search, url }: LoadContext<'/article'>) => ({
  comments: [...comments],
  favourites,
  address: url.search,
  page: search.page,
})
