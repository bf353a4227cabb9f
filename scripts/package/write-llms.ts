// Writes docs/llms.txt. Runs in the repository's folder, after the compiler.

import { writeFileSync } from 'node:fs'
import { formatLlms } from '../chapters.ts'

writeFileSync('docs/llms.txt', formatLlms())
