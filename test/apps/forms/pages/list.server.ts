import { type ActionContext, HttpError, type LoadContext, redirect } from 'hydrant'
import { textOf } from '../done.ts'

let loads = 0

export function load({ app }: LoadContext<'/list'>) {
  loads++
  if (app.settings.load === 'redirect') redirect('/target')
  if (app.settings.load === 'failure') throw new Error('SECRET-MARKER')
  if (app.settings.load === 'refusal') throw new HttpError(410, 'Gone')
  const name = `reviews ${loads}`
  const isSlow = app.settings.reviews === 'slow'
  const reviews = isSlow ? app.gate('reviews').then(() => name) : Promise.resolve(name)
  return { loads, texts: [...app.texts], reviews }
}

export function action({ app, form }: ActionContext<'/list'>) {
  const text = textOf(form, 'text')
  app.done({ path: '/list', text })
  return { text }
}
