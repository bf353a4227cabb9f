// Writes docs/llms.txt, and what other documents have from tables. Runs in the repository's folder, after the compiler.

import { readFileSync, writeFileSync } from 'node:fs'
import { formatLlms } from '../chapters.ts'
import { filledDocuments } from './reference.ts'

writeFileSync('docs/llms.txt', formatLlms())
for (const [path, fill] of Object.entries(filledDocuments)) writeFileSync(path, fill(readFileSync(path, 'utf8')))
