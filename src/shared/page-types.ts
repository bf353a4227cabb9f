import type { ReactNode } from 'react'

/** Where a failure happened: on the server or in the browser. */
export type Side = 'server' | 'client'

type Awaitable<T> = T | Promise<T>

/** The data that a `load` function resolves with. Promises inside the data stay promises (deferred). */
export type LoadData<Load> = Load extends (...args: never[]) => infer Result ? Awaited<Result> : undefined

type Segments<Path extends string> = Path extends `${infer Head}/${infer Tail}` ? Head | Segments<Tail> : Path

type ParamName<Segment extends string> = Segment extends `[...${infer Name}]`
  ? Name
  : Segment extends `[${infer Name}]`
    ? Name
    : never

/** The parameters of a page's path: `Params<'/products/[id]'>` is `{ id: string }`. Each value is decoded once. */
export type Params<Path extends string = string> = string extends Path
  ? Record<string, string>
  : { [Name in ParamName<Segments<Path>>]: string }

/** The data that an `action` function resolves with. */
export type ActionData<Action> = LoadData<Action>

/**
 * An `action` function: takes an `ActionContext`, and returns or resolves with plain data that contains no promises.
 */
export type Action = (ctx: never) => unknown

/** A `load` function: takes a `LoadContext`, and returns or resolves with plain data, which may contain promises. */
export type Load = (ctx: never) => Awaitable<unknown>

interface Props<L, Path extends string> {
  /** The data of its own `load`; `undefined` without one. */
  data: LoadData<L>
  /** The parameters of the path, decoded: `{ id: '7' }` for `/products/[id]`. */
  params: Params<Path>
  /** The URL of the page, as the server sees it. */
  url: URL
}

/** The props of a page: `export default function Page({ data, actionData }: PageProps<typeof load, typeof action>)`. */
export interface PageProps<
  L extends Load | undefined = undefined,
  A extends Action | undefined = undefined,
  Path extends string = string,
> extends Props<L, Path> {
  /** The data of the page's `action`, if this page is the response to a form; otherwise `undefined`. */
  actionData: ActionData<A> | undefined
}

/** The props of a layout: `export default function Layout({ children }: LayoutProps)`. */
export interface LayoutProps<L extends Load | undefined = undefined, Path extends string = string>
  extends Props<L, Path> {
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
