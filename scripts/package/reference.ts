// The parts of the reference documents that come from tables. The prose between them is written by hand.

import type { Command } from 'commander'
import { BUILD_OPTIONS, variableOf } from '../../src/server/options/resolve-options.ts'
import { type OptionRule, rules, type Scope } from '../../src/server/options/rules.ts'
import { createProgram } from '../program.ts'

type Rule = OptionRule<unknown> & { scope: Scope }

const OPTIONS = new Map<string, Rule>(Object.entries(rules))
const COMMANDS = new Map(createProgram(process).commands.map((command) => [command.name(), command]))

/** The documents, and the functions that replace what comes from tables. */
export const filledDocuments: Readonly<Record<string, (markdown: string) => string>> = {
  'docs/options.md': fillOptions,
  'docs/limits.md': fillLimits,
  'docs/commands.md': fillCommands,
}

/** Replaces the line below the heading of each option: `### port`. */
function fillOptions(markdown: string): string {
  const missing = new Set(OPTIONS.keys())
  const filled = markdown.replace(/^### (\S+)\n\n.*/gm, (section, name: string) => {
    const rule = OPTIONS.get(name)
    if (rule && missing.delete(name)) return `### ${name}\n\n${describeOption(name, rule)}`
    if (BUILD_OPTIONS.includes(name)) return section
    throw new Error(`docs/options.md has the heading ${name} twice, or it is no option`)
  })
  return requireAll(filled, missing, 'docs/options.md')
}

function describeOption(name: string, { expected, fallback, env, isCode, scope }: Rule) {
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  const hasFlag = (command: string) => COMMANDS.get(command)?.options.some(({ long }) => long === flag)
  const commands = ['start', 'dev'].filter(hasFlag)
  const typed = [...(commands.length > 0 ? [flag] : []), variableOf(name), ...(env === undefined ? [] : [env])]
  const value = typeof fallback === 'string' ? `'${fallback}'` : JSON.stringify(fallback)
  const places = {
    site: [],
    server: ['not in the plugin'],
    start: [(commands.length > 0 ? commands : ['start']).map((command) => `\`hydrant ${command}\``).join(', ')],
  }
  const names = isCode ? 'in code only' : typed.map((text) => `\`${text}\``).join(', ')
  return [names, expected, `default \`${value}\``, ...places[scope]].join(' · ')
}

/** Replaces the default in each row of a table that names an option. */
function fillLimits(markdown: string): string {
  const limits = [...OPTIONS].filter(([, { expected }]) => unitOf(expected) !== undefined)
  const missing = new Set(limits.map(([name]) => name))
  const row = /^(\| .* \| \[`([\w.]+)`\]\(options\.md#\w+\) \|).*?\|/gm
  const filled = markdown.replace(row, (_, cells: string, name: string) => {
    missing.delete(name)
    return `${cells} ${formatDefault(name)} |`
  })
  return requireAll(filled, missing, 'docs/limits.md')
}

function formatDefault(name: string): string {
  const { expected = '', fallback } = OPTIONS.get(name) ?? {}
  const amount = Number(fallback)
  if (unitOf(expected) === 'milliseconds') return `${amount / 1_000} s`
  if (unitOf(expected) !== 'bytes') return amount.toLocaleString('en')
  const size = [...['KiB', 'MiB', 'GiB'].entries()].findLast(([power]) => amount % 1_024 ** (power + 1) === 0)
  return size ? `${amount / 1_024 ** (size[0] + 1)} ${size[1]}` : `${amount / 1_000_000} MB`
}

function unitOf(expected: string): string | undefined {
  return /^a whole number of (\w+)/.exec(expected)?.[1]
}

/** Replaces the table of commands, and the usage and the flags below the heading of each command. */
function fillCommands(markdown: string): string {
  const missing = new Set(COMMANDS.keys())
  const rows = [...COMMANDS].map(
    ([name, command]) => `| [\`hydrant ${name}\`](#hydrant-${name}) | ${command.description()} |\n`,
  )
  const filled = markdown
    .replace(/(?:^\| \[`hydrant .*\n)+/m, rows.join(''))
    .replace(/^## hydrant (\w+)\n\n```\n[^`]*```/gm, (_, name: string) => {
      const command = COMMANDS.get(name)
      if (!command || !missing.delete(name)) throw new Error(`docs/commands.md has ${name} twice, or it is no command`)
      return `## hydrant ${name}\n\n\`\`\`\n${describeCommand(command)}\`\`\``
    })
  return requireAll(filled, missing, 'docs/commands.md')
}

function describeCommand(command: Command): string {
  const help = command.createHelp()
  const flags = help.visibleOptions(command).filter(({ long }) => long !== '--help')
  const width = Math.max(...flags.map((flag) => help.optionTerm(flag).length))
  const lines = flags.map((flag) => `  ${help.optionTerm(flag).padEnd(width)}  ${help.optionDescription(flag)}\n`)
  return `${help.commandUsage(command)}\n${lines.join('')}`
}

function requireAll(filled: string, missing: ReadonlySet<string>, path: string): string {
  if (missing.size > 0) throw new Error(`${path} has nothing about ${[...missing].join(', ')}`)
  return filled
}
