import type { ReactNode } from 'react'

/** Where a failure happened. */
export type Side = 'server' | 'client'

type Awaitable<T> = T | Promise<T>

/** What a `load` function returns, without the promise around it. Promises inside stay promises (deferred). */
export type LoadData<Load> = Load extends (...args: never[]) => infer Result ? Awaited<Result> : undefined

type Segments<Path extends string> = Path extends `${infer Head}/${infer Tail}` ? Head | Segments<Tail> : Path

type ParamName<Segment extends string> = Segment extends `[...${infer Name}]`
  ? Name
  : Segment extends `[${infer Name}]`
    ? Name
    : never

/** Parameters of a page's path: `Params<'/products/[id]'>` is `{ id: string }`. Values are decoded once. */
export type Params<Path extends string = string> = string extends Path
  ? Record<string, string>
  : { [Name in ParamName<Segments<Path>>]: string }

/** What an `action` returns, without the promise around it. */
export type ActionData<Action> = LoadData<Action>

/** Any `action`: takes the context, returns plain data without promises inside. */
export type Action = (ctx: never) => unknown

/** Any `load`: takes the context, returns plain data. */
export type Load = (ctx: never) => Awaitable<unknown>

interface Props<L, Path extends string> {
  /** What its own `load` returned; `undefined` without one. */
  data: LoadData<L>
  /** Decoded parameters of the path. */
  params: Params<Path>
  /** The page's address as the server saw it. */
  url: URL
}

/** Props of a page: `export default function Page({ data, actionData }: PageProps<typeof load, typeof action>)`. */
export interface PageProps<
  L extends Load | undefined = undefined,
  A extends Action | undefined = undefined,
  Path extends string = string,
> extends Props<L, Path> {
  /** What the page's `action` returned, when the page is the answer to a form; otherwise `undefined`. */
  actionData: ActionData<A> | undefined
}

/** Props of a layout. */
export interface LayoutProps<L extends Load | undefined = undefined, Path extends string = string>
  extends Props<L, Path> {
  /** The page, or the layout below. */
  children: ReactNode
}

/** Props of `error.tsx`. */
export interface ErrorPageProps {
  /** HTTP status: 500 or 504 for a failure, the refusal's own (400 to 499) otherwise. */
  status: number
  /** The sentence for a failure, the refusal's own message otherwise. Never the error's text of a failure. */
  message: string
  /** Where it failed. */
  side: Side
  /** Host name in the address bar, without a port. */
  host: string
  /** `FINGERPRINT-OCCURRENCE`, for a failure on the server. */
  digest?: string
  /** Loads the page again. */
  retry(): void
}

/** Props of `not-found.tsx`. */
export interface NotFoundProps {
  url: URL
}
