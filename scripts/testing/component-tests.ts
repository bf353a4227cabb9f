// What tests of components load. It loads React, so `createTestSite` must be able to select React's build before.

import type { ReactElement, ReactNode } from 'react'
import { Fragment, jsx } from 'react/jsx-runtime'
import { parseUrl } from '../../src/server/util/addresses.ts'
import { messageOf } from '../../src/server/util/unknown-values.ts'
import type { LayoutProps, PageProps } from '../../src/shared/page-types.ts'
import type { LayoutRoute, PageRoute } from '../../src/shared/routes.ts'
import { type BrowserFunctions, browser, type SubmissionOutcome } from '../../src/shared/tree/browser.ts'
import { provide } from '../../src/shared/tree/page-values.ts'

/** What the hooks of components return in a test. A hook whose value is missing throws HYD_HOOK_PLACE. */
export interface PageValues<Route extends PageRoute = PageRoute> {
  /** What `useUrl` returns. A path is one of `http://localhost` (`/`). */
  url?: string | URL
  /** The route of the page, for `useParams` (none). */
  route?: Route
  /** What `useParams` returns for that route (`{}`). */
  params?: PageProps<Route>['params']
  /** What `useLayoutData` returns for the layouts around the component, by their routes (none). */
  layouts?: { [Layout in LayoutRoute]?: LayoutProps<Layout>['data'] }
}

/** See `createPageWrapper` in `index.ts`. */
export function wrapperOf({ url = '/', route, params = {}, layouts = {} }: PageValues) {
  const address = { url: new URL(url, 'http://localhost') }
  return function PageWrapper({ children }: { children?: ReactNode }): ReactElement {
    const inside = Object.entries(layouts).reduce(
      (inner, [layout, data]) => provide(layout, data, inner),
      jsx(Fragment, { children }),
    )
    return provide('url', address, provide('params', params, provide('route', route, inside)))
  }
}

/** A submission that a component has sent with `useSubmission`. */
export interface SentSubmission {
  /** The path and the query of the page to whose action the fields are sent. */
  path: string
  /** The HTTP method. */
  method: string
  /** The fields. */
  formData: FormData
}

/**
 * Returns the result of a submission: `{ data }`, `{ invalid }` or `{ error }`, or a promise of it. Without a result,
 * it simulates an action that returns nothing.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without `return` is an answer
export type SubmissionAnswer = (sent: SentSubmission) => SubmissionOutcome | void | Promise<SubmissionOutcome | void>

/** The part of a form or a button that is read. */
interface FormElement {
  getAttribute(name: string): string | null
}

/** Replaces the functions of the browser's side: `answer` returns the results of submissions. */
export function replaceBrowser(answer: SubmissionAnswer): void {
  const functions: BrowserFunctions = {
    readForm,
    submit({ href = '', method, formData }, { settled, release }) {
      const outcome = resultOf(answer, { path: pathOf(href), method, formData })
      return {
        outcome,
        settled: outcome.then(() => {
          release()
          settled()
        }),
        abort() {},
        refused() {},
      }
    },
    prefetch: async () => {},
    refresh: async () => {},
  }
  browser.load = Promise.resolve(async () => functions)
  browser.loaded = functions
}

async function resultOf(answer: SubmissionAnswer, sent: SentSubmission): Promise<SubmissionOutcome> {
  try {
    return (await answer(sent)) ?? {}
  } catch (thrown) {
    return { error: { message: messageOf(thrown) } }
  }
}

const readForm: BrowserFunctions['readForm'] = (event, href = '') => {
  // React passes the event of the document, which is that of a form.
  const { target: form, submitter } = event as { target: FormElement; submitter: FormElement | null }
  const read = (name: string) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? ''
  const path = pathOf(read('action'))
  // A button may send the form elsewhere.
  if (read('method').toLowerCase() !== 'post' || path !== pathOf(href)) return null
  // The types of Node.js know no form.
  const formData: FormData = Reflect.construct(FormData, [form, submitter])
  const fields = [...formData].map(([name, value]) => [name, typeof value === 'string' ? value : value.name])
  return { formData, href: path, enctype: read('enctype'), key: JSON.stringify([path, fields]), form }
}

/** Returns the path and the query of a URL, relative to the current page. */
function pathOf(url: string): string {
  const { location } = globalThis as { location?: { href: string } }
  const base = location?.href ?? ''
  const { pathname, search } = new URL(
    url,
    parseUrl(base) !== null && base !== 'about:blank' ? base : 'http://localhost/',
  )
  return pathname + search
}
