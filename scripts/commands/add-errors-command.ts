import type { Command } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'
import type { runErrors } from './errors.ts'

type Flags = Parameters<typeof runErrors>[1]

const EXAMPLES = `
Examples:
  hydrant errors                               failures of the site in this folder
  hydrant errors ./my-site --since 24h --open  unsolved failures of another site, from the last 24 hours
  hydrant errors 7F3KQ2M9-K4D2P1 ./my-site     the failure with the digest that a visitor saw
  hydrant errors 7f3k q2m9                     the failure with this fingerprint (the first half of a digest)
  hydrant errors --ledger copy.db --json       failures in a copy of a ledger, as JSON`

/**
 * Adds `hydrant errors` with its arguments, flags and help. The code that it runs is loaded when the command is called.
 */
export function addErrorsCommand(program: Command, terminal: Terminal) {
  program
    .command('errors')
    .description('show failures: a list, or one failure by its digest')
    .usage('[options] [digest] [dir]')
    .argument('[digest]', 'a digest or its first half, in any case and spacing; without it, a list is shown')
    .argument('[dir...]', 'the site’s folder (.)')
    .option('--since <when>', 'list failures seen since then: 30m, 24h, 7d, or a date like 2026-11-21')
    .option('--side <side>', 'list failures of one side: server or client')
    .option('--route <route>', 'list failures on this route, named like its file: /products/[id]')
    .option('--release <release>', 'list failures that happened in this release')
    .option('--new', 'list failures that first happened in the given --release (that of the site’s build)')
    .option('--sort <order>', 'sort the list by last occurrence, first occurrence or count: last, first, count (last)')
    .option('--open', 'list failures that are not marked as solved')
    .option('--limit <number>', 'maximum number of failures in the list, or of occurrences of one failure (20)')
    .option('--json', 'print JSON; "hydrant docs errors-command" describes its fields')
    .option('--ledger <file>', 'read another ledger: a file, or a postgres:// URL; also HYDRANT_LEDGER')
    .option('--dev', 'read the ledger of hydrant dev')
    .addHelpText('after', EXAMPLES)
    .action(async (first: string | undefined, rest: readonly string[], flags: Flags) => {
      terminal.env.NODE_ENV ??= 'production'
      const { runErrors } = await import('./errors.ts')
      await runErrors(first === undefined ? [] : [first, ...rest], flags, terminal)
    })
}
