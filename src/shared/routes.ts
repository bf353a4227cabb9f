import type { SchemaInput, SchemaOutput } from './standard-schema.ts'

/**
 * The pages of the site by route, with their parameters and the modules of their server files. `hydrant types`,
 * `hydrant dev` and `hydrant build` write them to `hydrant-env.d.ts`, with the files of `public/`. A site adds the paths of
 * its other URLs, each with the type `unknown`, so that `href` accepts them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the declarations in a site's hydrant-env.d.ts are merged into it
export interface Routes {}

/**
 * The layouts of the site by the path of their folder in `pages/`, with its groups: `/(shop)/products`, and `/` for the
 * root layout. They are in `hydrant-env.d.ts` too.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the declarations in a site's hydrant-env.d.ts are merged into it
export interface Layouts {}

// The other URLs of a site have no parameters and modules: their type is `unknown`.
type Generated<Entries> = { [Name in keyof Entries]: unknown extends Entries[Name] ? never : Name }[keyof Entries]

// Without hydrant-env.d.ts, any path is accepted, so that a fresh clone has no type errors.
type OrAnyPath<Known> = [Known] extends [never] ? `/${string}` : Known & string

/** The route of a page, from the names of its folder and file, without groups: `/products/[id]`. */
export type PageRoute = OrAnyPath<Generated<Routes>>

// Before hydrant-env.d.ts exists, and for a file in JavaScript without `allowJs`, nothing is known about the exports.
type HasAction<Entry> = Entry extends { server: infer Module }
  ? IsAny<Module> extends true
    ? true
    : Module extends { action: (...args: never[]) => unknown } | { actions: object }
      ? true
      : false
  : true

type WithAction<Entries> = {
  [Name in Generated<Entries>]: HasAction<Entries[Name]> extends true ? Name : never
}[Generated<Entries>]

/** The route of a page with an action, or with several. */
export type ActionRoute = [Generated<Routes>] extends [never] ? `/${string}` : WithAction<Routes> & string

/** The path of a layout's folder in `pages/`, with its groups: `/(shop)/products`, and `/` for the root layout. */
export type LayoutRoute = OrAnyPath<Generated<Layouts>>

/** The paths that `href` accepts: the routes of the pages, and the other URLs that the site has declared. */
export type RouteId = [Generated<Routes>] extends [never] ? `/${string}` : keyof Routes & string

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

/** The parameters of an entry of `Routes` or `Layouts`; those of any path if `Path` is `never`. */
export type ParamsOf<Entries, Path extends string> = [Path] extends [never]
  ? Record<string, string>
  : Path extends keyof Entries
    ? Entries[Path] extends { params: infer Declared }
      ? Declared
      : Params<Path>
    : Params<Path>

// biome-ignore lint/suspicious/noExplicitAny: a value that TypeScript does not know yet must cause no errors
type Untyped = any

/** Whether nothing is known about a type. */
export type IsAny<Type> = 0 extends 1 & Type ? true : false

type ResultOf<Module, Name extends string> =
  IsAny<Module> extends true
    ? Untyped
    : Module extends { [Key in Name]: (...args: never[]) => infer Result }
      ? Awaited<Result>
      : undefined

// biome-ignore lint/complexity/noBannedTypes: the neutral element of an intersection
type Nothing = {}

// A guard that does not always return an object, or returns none, may leave properties out.
type Added<Result> =
  IsAny<Result> extends true
    ? Untyped
    : [Result] extends [never]
      ? Nothing
      : // biome-ignore lint/suspicious/noConfusingVoidType: the result of a function without return
        [Result] extends [void]
        ? Nothing
        : undefined extends Result
          ? Partial<Exclude<Result, undefined>>
          : Result

type AddedBy<Module> =
  IsAny<Module> extends true
    ? Untyped
    : Module extends { guard: (...args: never[]) => infer Result }
      ? Added<Awaited<Result>>
      : Nothing

type AddedByAll<Keys> = Keys extends readonly [infer Key, ...infer Others]
  ? (Key extends keyof Layouts
      ? Layouts[Key] extends { server: infer Module }
        ? AddedBy<Module>
        : Untyped
      : Untyped) &
      AddedByAll<Others>
  : Nothing

// Shows the properties, in an editor, in place of the names of these types.
type Merged<Parts> = { [Name in keyof Parts]: Parts[Name] }

/**
 * The merged results of the guards of the layouts around an entry of `Routes` or `Layouts`, and with `'own'` of its own
 * guard. `object` if `Path` is `never`. It is `any` before `hydrant-env.d.ts` exists, and for guards in JavaScript without
 * `allowJs`.
 */
export type GuardResults<Entries, Path extends string, Last extends 'own' | 'outer'> = [Path] extends [never]
  ? object
  : Path extends keyof Entries
    ? Entries[Path] extends { layouts: infer Keys; server: infer Module }
      ? Merged<AddedByAll<Keys> & (Last extends 'own' ? AddedBy<Module> : Nothing)>
      : Untyped
    : Untyped

/**
 * The value that the function `Name` in the server file of an entry of `Routes` or `Layouts` resolves with: `undefined`
 * if there is none, `unknown` if `Path` is `never`. It is `any` before `hydrant-env.d.ts` exists, and for a file in
 * JavaScript without `allowJs`.
 */
export type ServerResult<Entries, Path extends string, Name extends string> = [Path] extends [never]
  ? unknown
  : Path extends keyof Entries
    ? Entries[Path] extends { server: infer Module }
      ? ResultOf<Module, Name>
      : Untyped
    : Untyped

/**
 * The export `Name` of the server file of a page: `undefined` if there is none, `unknown` if `Path` is `never`, and
 * `any` where `ServerResult` is `any`.
 */
export type ServerExport<Path extends string, Name extends string> = [Path] extends [never]
  ? unknown
  : Path extends keyof Routes
    ? Routes[Path] extends { server: infer Module }
      ? IsAny<Module> extends true
        ? Untyped
        : Module extends { [Key in Name]: infer Value }
          ? Value
          : undefined
      : Untyped
    : Untyped

type OutputOf<Schema, Otherwise, WhenAny = Untyped> =
  IsAny<Schema> extends true ? WhenAny : Schema extends undefined ? Otherwise : SchemaOutput<Schema>

/**
 * The parameters of a page: the output of its schema `params`, else its parameters as texts, also where `ServerExport` is
 * `any`. If `Path` is `never`, each parameter may be a text or any value that a schema `params` of the site returns, so
 * that a function for several pages accepts the context of each of them.
 */
export type PageParams<Path extends string> = [Path] extends [never]
  ? Record<string, string | ParamValues<Generated<Routes>>>
  : OutputOf<ServerExport<Path, 'params'>, ParamsOf<Routes, Path>, ParamsOf<Routes, Path>>

// Distributes over the routes.
type ParamValues<Path> = Path extends string ? ValuesOf<PageParams<Path>> : never

type ValuesOf<Group> = Group[keyof Group]

/** The output of the schema `search` of a page; `undefined` if the page has none. */
export type SearchOutput<Path extends string> = OutputOf<ServerExport<Path, 'search'>, undefined>

/** The names of the actions of a page, in its export `actions`. */
export type ActionName<Path extends string> = keyof ServerExport<Path, 'actions'> & string

// An action is a function, or an object with the function and a schema.
type ActionPart<Path extends string, Action extends string, Part extends string> =
  ServerExport<Path, 'actions'> extends infer Actions
    ? IsAny<Actions> extends true
      ? Untyped
      : Action extends keyof Actions
        ? Actions[Action] extends { [Key in Part]: infer Value }
          ? Value
          : Part extends 'action'
            ? Actions[Action]
            : undefined
        : undefined
    : never

/** The schema `form` of a page, or of one of its `actions`; as `ServerExport` without one. */
export type FormSchema<Path extends string, Action extends string = never> = [Action] extends [never]
  ? ServerExport<Path, 'form'>
  : ActionPart<Path, Action, 'form'>

/** The value that the action of a page, or one of its `actions`, resolves with; as `ServerResult` without one. */
export type ActionResult<Path extends string, Action extends string = never> = [Action] extends [never]
  ? ServerResult<Routes, Path, 'action'>
  : ResultOf<{ action: ActionPart<Path, Action, 'action'> }, 'action'>

/** The output of a schema `form`; `undefined` without one. */
export type FormOutput<Schema> = OutputOf<Schema, undefined>

/** The input of a schema of a page; `unknown` if the page has none. */
export type InputOf<Path extends string, Name extends string> = InputOfSchema<ServerExport<Path, Name>>

/** The input of a schema; `unknown` if there is none. */
export type InputOfSchema<Schema> = IsAny<Schema> extends true ? Untyped : SchemaInput<Schema>

type Value = string | number | boolean | bigint | Date | Blob | null | undefined

type Deeper<Levels extends 0[]> = [...Levels, 0]

type NamesIn<Part, Prefix extends string, Levels extends 0[]> = unknown extends Part
  ? Prefix
  : Part extends Value
    ? Prefix
    : Levels['length'] extends 5
      ? `${Prefix}${string}`
      : Part extends readonly (infer Item)[]
        ? Prefix | `${Prefix}[]` | NamesIn<Item, `${Prefix}[${number}]`, Deeper<Levels>>
        : NamesOf<Part, Prefix, Levels>

type NamesOf<Group, Prefix extends string, Levels extends 0[]> = Group extends unknown
  ? {
      [Key in keyof Group & string]-?: NamesIn<Group[Key], Prefix extends '' ? Key : `${Prefix}.${Key}`, Deeper<Levels>>
    }[keyof Group & string]
  : never

/** The names of the fields of a form whose schema has this input: `email`, `address.city`, `items[0].name`. */
export type FieldName<Input> = unknown extends Input ? string : NamesOf<Input, '', []>
