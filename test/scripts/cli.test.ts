import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { OLDEST_REACT } from '../../scripts/check-react.ts'
import { createOutsideFolder } from '../outside-folder.ts'
import { createSite } from './create-site.ts'
import { runHere } from './run-here.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

t.test('prints help for itself and for each command, also when it is asked in a word', async (t) => {
  const all = await runHere(['--help'])
  t.match(all, { code: 0, stderr: '' })
  for (const name of ['build', 'start', 'dev', 'types']) {
    t.match(all.stdout, `\n  ${name} `)
    const one = await runHere([name, '--help'])
    t.match(one, { code: 0, stdout: `Usage: hydrant ${name}`, stderr: '' })
    if (name === 'start') t.strictSame(await runHere(['help', 'start']), one)
  }
  t.strictSame(await runHere(['help']), all)
})

t.test('prints its version', async (t) => {
  t.strictSame(await runHere(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' })
})

t.test('ends with 2 when it is misused, and shows the correct usage', async (t) => {
  t.match(await runHere([]), { code: 2, stderr: 'Usage: hydrant' })
  const misused = async (args: string[], stderr: string) =>
    t.match(await runHere(args), { code: 2, stdout: '', stderr: `Error [${stderr}` }, args.join(' '))
  await misused(['bild'], 'HYD_CLI_USAGE] unknown command \'bild\' (Did you mean build?)\nTry: Run "hydrant --help"')
  await misused(['serve'], "HYD_CLI_USAGE] unknown command 'serve' (Did you mean start?)\nTry: ")
  await misused(['site'], "HYD_CLI_USAGE] unknown command 'site' (Did you mean dev site?)\nTry: ")
  await misused(['help', 'bild'], "HYD_CLI_USAGE] unknown command 'bild' (Did you mean build?)\nTry: ")
  await misused(['help', 'foo'], "HYD_CLI_USAGE] unknown command 'foo'\nTry: ")
  await misused(['xyzzy'], "HYD_CLI_USAGE] unknown command 'xyzzy'\nTry: ")
  await misused(['start', '--prot', '1'], "HYD_CLI_USAGE] unknown option '--prot' (Did you mean --port?)\nTry: ")
  await misused(['build', 'a', 'b'], "HYD_CLI_USAGE] too many arguments for 'build'")
  await misused(['build', 'no-such-folder'], 'HYD_CLI_DIR] "no-such-folder" is not a folder\nTry: ')
})

t.test('an empty flag has the default', async (t) => {
  t.match(await runHere(['create', join(t.testdir({}), 'new'), '--template', '']), {
    code: 0,
    stdout: 'from the template "minimal"',
  })
  t.match(await runHere(['export', '--origin', '']), { code: 2, stderr: 'HYD_OPTION_INVALID] "--origin"' })
})

t.test('ends with 1 when a site does not build, and shows each position', async (t) => {
  const dir = createSite(t, { 'pages/a.tsx': 'export const a = 1\n', 'pages/b.tsx': 'export default () => <p>\n' })
  const { code, stderr } = await runHere(['build', dir])
  t.equal(code, 1)
  t.match(
    stderr,
    'Error [HYD_BUILD_NO_COMPONENT] pages/a.tsx has no default export; a page file needs a component\n  at pages/a.tsx:1\nTry: ',
  )
  t.match(stderr, '\n  at pages/b.tsx:')
  t.match(stderr, 'Error [HYD_BUILD_FAILED] the build failed with 2 errors\nTry: ')
  t.notMatch(stderr, /^ {4}at /m)
  const { stderr: withStack } = await runHere(['build', dir], { DEBUG: 'hydrant' })
  t.match(withStack, /^ {4}at /m)
})

t.test('says in one sentence that React is missing or too old', async (t) => {
  const missing = await runHere(['build', createOutsideFolder(t, 'no-react-')])
  t.equal(missing.code, 1)
  t.strictSame(missing.stderr.match(/\[HYD_\w+\]/g), [
    '[HYD_BUILD_PAGES_MISSING]',
    '[HYD_REACT_VERSION]',
    '[HYD_BUILD_FAILED]',
  ])
  t.match(missing.stderr, 'Hydrant needs react and react-dom 19.2 or newer; the site has neither')

  const old = { name: 'react', version: '18.3.1' }
  const dir = createSite(t, { 'node_modules/react/package.json': JSON.stringify(old) })
  for (const command of ['start', 'dev', 'build'])
    t.match(await runHere([command, dir]), {
      code: 1,
      stderr: 'Error [HYD_REACT_VERSION] Hydrant needs react and react-dom 19.2 or newer; the site has react 18.3.1\n',
    })
})

t.test('the oldest React is that of package.json', async (t) => {
  t.equal(JSON.parse(readFileSync('package.json', 'utf8')).peerDependencies.react, `^${OLDEST_REACT.join('.')}.0`)
})
