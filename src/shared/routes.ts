/**
 * The pages of the site by route, with their parameters and the modules of their server files. `hydrant types`,
 * `hydrant dev` and `hydrant build` write them to `hydrant-env.d.ts`. A site adds the paths of its other URLs, each with
 * the type `unknown`, so that `href` accepts them.
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
  ? 0 extends 1 & Module
    ? true
    : Module extends { action: (...args: never[]) => unknown }
      ? true
      : false
  : true

type WithAction<Entries> = {
  [Name in Generated<Entries>]: HasAction<Entries[Name]> extends true ? Name : never
}[Generated<Entries>]

/** The route of a page with an action. */
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

type ResultOf<Module, Name extends string> = 0 extends 1 & Module
  ? Untyped
  : Module extends { [Key in Name]: (...args: never[]) => infer Result }
    ? Awaited<Result>
    : undefined

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
