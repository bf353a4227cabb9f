import type { Command } from 'commander'
import { writeBash } from '../completion/bash.ts'
import { writeFish } from '../completion/fish.ts'
import { readCommands } from '../completion/read-commands.ts'
import { writeZsh } from '../completion/zsh.ts'
import type { Terminal } from '../terminal/terminal.ts'

const WRITERS = { bash: writeBash, zsh: writeZsh, fish: writeFish }

/** Runs `hydrant completion`: prints the script with which a shell completes the words of the program. */
export function runCompletion(shell: keyof typeof WRITERS, program: Command, { stdout }: Terminal) {
  stdout.write(WRITERS[shell](readCommands(program)))
}
