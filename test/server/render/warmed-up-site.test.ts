import t from 'tap'
import type { RenderToPipe } from '../../../src/server/context/react-renderer.ts'
import { warmUpFailures } from '../../../src/server/render/warm-up.ts'
import { buildFiles, serve } from '../served.ts'

t.test('the warm-up runs before a site is served', async (t) => {
  const dir = await buildFiles(t.testdir({}), {
    'pages/index.tsx': 'export default function Page() {\n  return <p>page</p>\n}\n',
  })
  await serve(t, dir)
  const render: RenderToPipe = () => {
    throw new Error('it has not')
  }
  await t.resolves(warmUpFailures(render))
})
