// The types of the options with their values, derived from what a configuration may contain (config.ts).

import type { AdminAddress, AdminOptions } from './admin-address.ts'
import type { ServerOptions, SiteOptions } from './config.ts'

/** The options inside a group such as `timeouts`; never for an option that is a value itself. */
type GroupOf<Option> = Extract<NonNullable<Option>, Record<string, unknown>>

/** Options whose resolved value has a different type than the value in a configuration. */
interface ResolvedTypes {
  onFailure: NonNullable<SiteOptions['onFailure']> | null
  traceOf: NonNullable<SiteOptions['traceOf']> | null
  instrument: NonNullable<SiteOptions['instrument']> | null
  socket: string | null
  trustProxy: Exclude<NonNullable<ServerOptions['trustProxy']>, number>
  admin: AdminOptions | false
}

/**
 * Every option with its value, checked. An option that is not set and has no default is empty (a text or a list) or
 * null.
 */
export type Options = {
  [Name in keyof ServerOptions]-?: Name extends keyof ResolvedTypes
    ? ResolvedTypes[Name]
    : [GroupOf<ServerOptions[Name]>] extends [never]
      ? NonNullable<ServerOptions[Name]>
      : Required<GroupOf<ServerOptions[Name]>>
}

type NamesIn<Config> = {
  [Name in keyof Config & string]-?: [GroupOf<Config[Name]>] extends [never]
    ? Name
    : `${Name}.${keyof GroupOf<Config[Name]> & string}`
}[keyof Config & string]

/** Names of the options that a site takes in every server: `base`, `timeouts.loadMs`. */
export type SiteOptionName = NamesIn<SiteOptions>

/** Names of all options. `admin` is a group and can also be given as a single value. */
export type OptionName = NamesIn<ServerOptions> | 'admin'

/** The checked value of the option with that name. */
export type OptionValue<Name extends OptionName> = Name extends 'admin'
  ? boolean | AdminAddress
  : Name extends `${infer Group extends keyof Options}.${infer Part}`
    ? PartOf<Exclude<Options[Group], false>, Part>
    : Name extends keyof Options
      ? Options[Name]
      : never

type PartOf<Group, Part> = Part extends keyof Group ? Group[Part] : never
