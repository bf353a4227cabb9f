// Writes docs/llms.txt. Runs in the repository's folder, after the compiler.

import { writeFileSync } from 'node:fs'
import { writeLlms } from '../docs/write-llms.ts'

writeFileSync('docs/llms.txt', writeLlms())
