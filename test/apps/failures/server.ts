import type { FastifyInstance } from 'fastify'
import { href } from 'hydrant/react'

export default async function server(app: FastifyInstance) {
  app.get('/route', async () => {
    throw new Error('route') // fails: route
  })
  app.get('/process', async () => {
    setTimeout(() => {
      throw new Error('process') // fails: process
    })
    return 'soon'
  })
  app.get('/worker', async () => {
    process.nextTick(() => {
      throw new Error('worker') // fails: worker
    })
    return 'soon'
  })
  app.get('/own/route', async () => {
    return href('/own/[call]', { call: '' }) // fails at /own/route
  })
}
