import { addDraining } from 'hydrant'
import { createApp } from './app.ts'

const { HOST: host = '127.0.0.1', PORT: port = '3000' } = process.env

const app = await createApp({ logger: true })
// Lets a stopping server finish its requests; node_modules/hydrant/docs/deploy/README.md describes it.
const drain = addDraining(app)
await app.listen({ host, port: Number(port) })

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await drain()
    await app.close()
  })
}
