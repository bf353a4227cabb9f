import type { ReactNode } from 'react'
import type {
  ActionName,
  ActionResult,
  FieldName,
  FormSchema,
  InputOfSchema,
  IsAny,
  LayoutRoute,
  Layouts,
  PageParams,
  PageRoute,
  ParamsOf,
  Routes,
  SearchOutput,
  ServerExport,
  ServerResult,
} from './routes.ts'
import type { FieldRules } from './wire/boot.ts'
import type { Side } from './wire/public-error.ts'

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
  /** The promise of the page's `loadVisitor`; `undefined` without one. Read it with `use` inside `<Suspense>`. */
  visitorData: VisitorData<Route>
  /** The output of the schema `params`; without one, the parameters of the path, decoded: `{ id: '7' }`. */
  params: PageParams<Route>
  /** The output of the schema `search`; `undefined` without one. */
  search: SearchOutput<Route>
  /**
   * The form that was sent, if it was not accepted: by the schema `form`, by `invalidForm()` in the action, or
   * because it exceeds a limit. Otherwise `undefined`.
   */
  invalid: InvalidForm<Route> | undefined
  /** The attributes of form fields by their names, from the schema `form`; `undefined` without the schema. */
  fields: PageFields<Route>
  /** The results and the fields of the page's `actions` by their names; `undefined` without them. */
  actions: PageActions<Route>
}

/**
 * The results and the fields of the actions of a page: `actions.comment.fields.text`. It is `undefined` without the export
 * `actions`, and `unknown` without a route.
 */
export type PageActions<Route extends PageRoute> = [Route] extends [never]
  ? unknown
  : ServerExport<Route, 'actions'> extends infer Actions
    ? IsAny<Actions> extends true
      ? Actions
      : [Actions] extends [undefined]
        ? undefined
        : { readonly [Name in ActionName<Route>]: PageAction<Route, Name> }
    : never

/** The result and the fields of one of the actions of a page. */
export interface PageAction<Route extends PageRoute, Name extends string> {
  /** The value of the action, if this page is the response to its form; otherwise `undefined`. */
  data: ActionResult<Route, Name> | undefined
  /** The form that was sent to the action, if it was not accepted; otherwise `undefined`. */
  invalid: InvalidForm<Route, Name> | undefined
  /** The attributes of its form fields by their names; `undefined` without the schema `form`. */
  fields: PageFields<Route, Name>
}

/** The promise of a page's `loadVisitor`: `undefined` if there is none, `unknown` without a route. */
export type VisitorData<Route extends PageRoute> = [Route] extends [never]
  ? unknown
  : ServerExport<Route, 'loadVisitor'> extends infer Load
    ? IsAny<Load> extends true
      ? Load
      : [Load] extends [undefined]
        ? undefined
        : Promise<ServerResult<Routes, Route, 'loadVisitor'>>
    : never

/** A form that was not accepted. */
export interface InvalidForm<Route extends PageRoute = never, Action extends string = never> {
  /** The messages of each field by its name (`items[0].name`), and those of the whole form by the empty name. */
  issues: { readonly [Name in FieldName<InputOfSchema<FormSchema<Route, Action>>> | '']?: readonly string[] }
  /** The texts of the form by the names of their fields, without files and secrets. */
  values: { readonly [Name in FieldName<InputOfSchema<FormSchema<Route, Action>>>]?: string | string[] }
}

/**
 * The fields of a page's form, or of one of its `actions`: `fields.email`, `fields['address.city']`. It is `undefined` without the schema `form`,
 * and `unknown` without a route.
 */
export type PageFields<Route extends PageRoute, Action extends string = never> = [Route] extends [never]
  ? unknown
  : FormSchema<Route, Action> extends infer Schema
    ? IsAny<Schema> extends true
      ? Readonly<Record<string, Field>>
      : [Schema] extends [undefined]
        ? undefined
        : { readonly [Name in FieldName<InputOfSchema<Schema>>]: Field }
    : never

/** Attributes that tell assistive technology about a field that was not accepted. */
export interface InvalidAttributes {
  'aria-invalid'?: true
  'aria-describedby'?: string
  autoFocus?: true
}

/** The attributes of a checkbox or a radio button: `<input type="radio" {...fields.size.option('large')} />`. */
export interface OptionAttributes extends InvalidAttributes {
  name: string
  value: string
  required?: true
  defaultChecked?: boolean
}

/**
 * The attributes of `<input>`, `<select>` or `<textarea>`: `<input {...fields.email} />`. An attribute before the
 * spread is a default, and an attribute after the spread replaces the one of the field. `errorId`, `issues` and
 * `option` are not attributes, and the spread does not copy them.
 */
export interface Field extends FieldRules, InvalidAttributes {
  name: string
  /**
   * The text that the visitor has sent, if the form was not accepted: an array for `<select multiple>` if the schema
   * has an array. Missing for files and secrets.
   */
  defaultValue?: string | string[]
  /** The id that the element with the messages needs: `<p id={fields.email.errorId}>`. */
  readonly errorId: string
  /** The messages; empty if the field has none. */
  readonly issues: readonly string[]
  /**
   * Returns the attributes of a checkbox or a radio button with this value. If the form was not accepted, they include
   * `defaultChecked`.
   */
  option(value: string): OptionAttributes
}

/**
 * The props of a layout: `export default function Layout({ children }: LayoutProps<'/products'>)`. Without a route
 * they are those that every layout has.
 */
export interface LayoutProps<Route extends LayoutRoute = never> extends Props {
  /**
   * The value that the layout's `load` resolves with. Promises inside it stay promises. A layout is rendered only after its
   * `load` has resolved, also around an error page. So the type contains `undefined` only if there is no `load`, or if
   * it can return nothing: a guard, `redirect` and `notFound` do not make it so. Without a route, the type is `unknown`.
   */
  data: ServerResult<Layouts, Route, 'load'>
  /** The parameters of the layout's folder, decoded: `{ id: '7' }` for `/products/[id]`. */
  params: ParamsOf<Layouts, Route>
  /** The page, or the next inner layout. */
  children: ReactNode
}

/** The props of `error.tsx`. */
export interface ErrorPageProps {
  /** The HTTP status: 500 to 599 for a failure, 400 to 499 for a refusal. */
  status: number
  /**
   * For a failure, the sentence for visitors, never the message of the error. For a refusal, the message of the
   * refusal.
   */
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
