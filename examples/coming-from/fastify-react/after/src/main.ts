import { addDraining } from 'hydrant'
import { createApp } from './app.ts'

const app = await createApp({ logger: true })
// Lets a stopping server finish its requests.
const drain = addDraining(app)
await app.listen({ port: Number(process.env.PORT ?? 3000) })

process.once('SIGTERM', async () => {
  await drain()
  await app.close()
})
