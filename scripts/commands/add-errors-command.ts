import type { Command } from 'commander'
import type { runErrors } from './errors.ts'

type Flags = Parameters<typeof runErrors>[1]

const EXAMPLES = `
Examples:
  hydrant errors                               what has failed in the site of this folder
  hydrant errors ./my-site --since 24h --open  of another one, today, and not solved
  hydrant errors 7F3KQ2M9-K4D2P1 ./my-site     what stands behind a digest that a visitor has read
  hydrant errors 7f3k q2m9                     the same failure, whichever time it was
  hydrant errors --ledger copy.db --json       a copy of a ledger's file, for a script`

/** `hydrant errors`: its words, flags and help. What it runs is loaded when it is called. */
export function addErrorsCommand(program: Command) {
  program
    .command('errors')
    .description('show what has failed: a list, or one failure by its digest')
    .usage('[options] [digest] [dir]')
    .argument('[digest]', 'a digest or its first half, in any case and spacing; a list without one')
    .argument('[dir...]', 'the site’s folder (.)')
    .option('--since <when>', 'seen since then: 30m, 24h, 7d, or a date like 2026-11-21')
    .option('--side <side>', 'server or client')
    .option('--route <route>', 'of that route, as its file is named: /products/[id]')
    .option('--release <release>', 'that have happened in that release')
    .option('--new', 'that have happened first in --release, or in the build of the site’s folder')
    .option('--sort <order>', 'by when they were seen last or first, or by count: last, first, count (last)')
    .option('--open', 'without those marked as solved')
    .option('--limit <number>', 'most failures in the list, or occurrences of one (20)')
    .option('--json', 'print JSON: docs/errors-command.md tells its fields')
    .option('--ledger <which>', 'another ledger: a file, or a postgres:// URL; also HYDRANT_LEDGER')
    .option('--dev', 'what has failed in hydrant dev, which keeps a ledger of its own')
    .addHelpText('after', EXAMPLES)
    .action(async (first: string | undefined, rest: readonly string[], flags: Flags) => {
      process.env.NODE_ENV ??= 'production'
      const { runErrors } = await import('./errors.ts')
      await runErrors(first === undefined ? [] : [first, ...rest], flags)
    })
}
