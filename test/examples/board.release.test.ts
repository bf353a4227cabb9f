import t from 'tap'
import { testExample } from './example-site.ts'

await testExample(t, 'board')
