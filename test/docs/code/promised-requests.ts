// The requests to a site whose responses a document promises.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SampleSite } from './sample-sites.ts'

export interface PromisedRequest {
  url: string
  status: number
  /** The fields of a form. Without it, the request is a GET. */
  form?: string
  /** The name of a field of the form that has a file. */
  file?: string
  /** A part of the HTML. */
  contains?: string
}

/** A value for every parameter of a route. */
const PARAMETER = '7'

/** Statuses of pages other than 200. */
const REFUSED: Readonly<Record<string, number>> = {
  'docs/ecosystem.md /members': 302,
  'docs/prerender.md /articles/[id]': 308,
}

const FORMS: Readonly<Record<string, readonly PromisedRequest[]>> = {
  'docs/cache.md': [{ url: '/admin/prices', form: 'id=7&price=4', status: 303 }],
  'docs/databases.md': [
    { url: '/teas/new', form: 'name=Assam&price=4', status: 303 },
    { url: '/teas/new', form: 'name=Assam&price=5', status: 422 },
    { url: '/teas?page=2', status: 200 },
  ],
  'docs/fields.md': [
    {
      url: '/order',
      form: 'amount=0&extras=sample&address.city=Ulm&password=secret',
      status: 422,
      contains: 'Use at least 8 characters.',
    },
    { url: '/order', form: 'amount=2&extras=card&address.city=Ulm&password=long+enough', status: 303 },
    { url: '/tasting', form: 'step=contact&name=Ada', status: 200, contains: 'name="name" value="Ada"' },
    { url: '/tasting', form: 'step=visit&name=Ada&day=soon', status: 422, contains: 'Choose a day.' },
    { url: '/tasting', form: 'step=visit&name=Ada&day=2030-05-01', status: 200, contains: 'type="file"' },
    { url: '/tasting', form: 'step=photo&name=Ada&day=2030-05-01', file: 'photo', status: 303 },
  ],
  'docs/http.md': [
    { url: '/notes', form: 'text=', status: 422 },
    { url: '/photos', form: 'photo=', status: 303 },
    { url: '/orders', form: 'key=1&product=tea', status: 303 },
  ],
}

/** Lists a request for each page and each route of the site, and those for its forms. `dir` is the folder of the site. */
export function listRequests({ document, files }: SampleSite, dir: string): PromisedRequest[] {
  const types = readFileSync(join(dir, 'hydrant-env.d.ts'), 'utf8')
  const pages = [...types.matchAll(/^ +'(\/[^']*)': /gm)].map(([, route = '']) => ({
    url: route.replace(/\[[^\]]+\]/g, PARAMETER),
    status: REFUSED[`${document} ${route}`] ?? 200,
  }))
  const routes = [...(files['server.ts'] ?? '').matchAll(/app\.get\('([^']+)'/g)].map(([, route = '']) => ({
    url: route.replace(/:\w+/g, PARAMETER),
    status: 200,
  }))
  return [...pages, ...routes, ...(FORMS[document] ?? [])]
}
