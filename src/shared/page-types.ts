import type { ReactNode } from 'react'
import type { LayoutRoute, Layouts, PageRoute, ParamsOf, Routes, ServerResult } from './routes.ts'

/** Where a failure happened: on the server or in the browser. */
export type Side = 'server' | 'client'

/**
 * An `action` function: takes an `ActionContext`, and returns or resolves with plain data that contains no promises.
 */
export type Action = (ctx: never) => unknown

/** The data that an `action` function resolves with. */
export type ActionData<A extends Action> = Awaited<ReturnType<A>>

interface Props {
  /** The URL of the page, as the server sees it. */
  url: URL
}

/**
 * The props of a page: `export default function Page({ data }: PageProps<'/products/[id]'>)`. Without a route they are
 * those that every page has.
 */
export interface PageProps<Route extends PageRoute = never> extends Props {
  /** The value that the page's `load` resolves with; `undefined` without one. Promises inside it stay promises. */
  data: ServerResult<Routes, Route, 'load'>
  /** The value of the page's `action`, if this page is the response to a form; otherwise `undefined`. */
  actionData: ServerResult<Routes, Route, 'action'> | undefined
  /** The parameters of the path, decoded: `{ id: '7' }` for `/products/[id]`. */
  params: ParamsOf<Routes, Route>
}

/**
 * The props of a layout: `export default function Layout({ children }: LayoutProps<'/products'>)`. Without a route they
 * are those that every layout has.
 */
export interface LayoutProps<Route extends LayoutRoute = never> extends Props {
  /** The value that the layout's `load` resolves with; `undefined` without one. Promises inside it stay promises. */
  data: ServerResult<Layouts, Route, 'load'>
  /** The parameters of the layout's folder, decoded: `{ id: '7' }` for `/products/[id]`. */
  params: ParamsOf<Layouts, Route>
  /** The page, or the next inner layout. */
  children: ReactNode
}

/** The props of `error.tsx`. */
export interface ErrorPageProps {
  /** The HTTP status: 500 or 504 for a failure, 400 to 499 for a refusal. */
  status: number
  /** For a failure the sentence for visitors, never the error's own message; for a refusal its message. */
  message: string
  /** Where it failed: on the server or in the browser. */
  side: Side
  /** The host name in the address bar, without a port. */
  host: string
  /** The digest, `FINGERPRINT-OCCURRENCE`, of a failure on the server; missing for other errors. */
  digest?: string
  /** Loads the page again. */
  retry(): void
}

/** The props of `not-found.tsx`. */
export interface NotFoundProps {
  /** The URL for which there is no page, as the server sees it. */
  url: URL
}
