import type { Terminal } from '../terminal/terminal.ts'

/** What a command for a site gets. */
export interface CommandInput<Flags = Record<string, string | undefined>> {
  /** The site's folder. */
  dir: string
  flags: Flags
  /** A warning about NODE_ENV, or null. */
  note: string | null
  terminal: Terminal
}
