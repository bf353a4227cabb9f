import t from 'tap'
import { testTutorial } from './tutorial.ts'

await testTutorial(t, 'docs-site')
