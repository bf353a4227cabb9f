import { notFound, redirect } from '@tanstack/react-router'
import { createServerFn } from '@tanstack/react-start'
import { z } from 'zod'
import { checkPassword, findBook, listBooks, suggestions } from './library.server'
import { memberSession } from './session.server'

export const readMember = createServerFn().handler(async () => {
  const session = await memberSession()
  return session.member ?? null
})

export const readBooks = createServerFn().handler(() => listBooks())

export const readBook = createServerFn()
  .validator(z.string())
  .handler(({ data }) => {
    const book = findBook(data)
    if (!book) throw notFound()
    return book
  })

export const readSuggestions = createServerFn().handler(async () => {
  const session = await memberSession()
  if (!session.member) throw redirect({ to: '/sign-in' })
  return suggestions
})

const schema = z.object({
  title: z.string().trim().min(2, 'Enter the title.'),
  email: z.email('Enter an e-mail address.'),
})

export const suggest = createServerFn({ method: 'POST' })
  .validator(z.object({ title: z.string(), email: z.string() }))
  .handler(({ data }) => {
    const result = schema.safeParse(data)
    if (!result.success) return { errors: z.flattenError(result.error).fieldErrors }
    suggestions.push(result.data.title)
    throw redirect({ to: '/' })
  })

export const signIn = createServerFn({ method: 'POST' })
  .validator(z.object({ name: z.string(), password: z.string() }))
  .handler(async ({ data }) => {
    if (!checkPassword(data.name, data.password)) return { problem: 'This name or this password is wrong.' }
    const session = await memberSession()
    session.member = data.name
    await session.save()
    throw redirect({ to: '/members' })
  })
