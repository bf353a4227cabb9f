import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import t from 'tap'
import { leaveCertificatesToNpm } from '../npm-certificates.ts'
import { createUserEnv } from '../user-env.ts'

t.test('npm gets the certificates, and other programs start without them', (t) => {
  const folder = t.testdir({ 'own.pem': 'THE OWN CERTIFICATE\n' })
  const env: NodeJS.ProcessEnv = { NODE_EXTRA_CA_CERTS: join(folder, 'own.pem'), PATH: '/bin' }
  leaveCertificatesToNpm(env, folder)
  const { npm_config_cafile: file = '', ...others } = env
  t.strictSame(others, { PATH: '/bin' })
  const text = readFileSync(file, 'utf8')
  t.match(text, /^THE OWN CERTIFICATE$/m)
  t.equal(text.match(/BEGIN CERTIFICATE/g)?.length, rootCertificates.length)
  t.end()
})

t.test('a file that npm already has stays, and a missing file is ignored, as Node.js does', (t) => {
  const folder = t.testdir({ 'own.pem': 'x' })
  const env: NodeJS.ProcessEnv = { NODE_EXTRA_CA_CERTS: join(folder, 'own.pem'), npm_config_cafile: '/a.pem' }
  leaveCertificatesToNpm(env, folder)
  t.strictSame(env, { npm_config_cafile: '/a.pem' })
  const missing: NodeJS.ProcessEnv = { NODE_EXTRA_CA_CERTS: join(folder, 'missing.pem') }
  leaveCertificatesToNpm(missing, folder)
  t.strictSame(missing, {})
  const none: NodeJS.ProcessEnv = {}
  leaveCertificatesToNpm(none, folder)
  t.strictSame(none, {})
  t.end()
})

t.test("a user's commands have npm's file, and no other variable of npm", (t) => {
  const { npm_config_cafile: before } = process.env
  t.teardown(() => {
    if (before === undefined) delete process.env.npm_config_cafile
    else process.env.npm_config_cafile = before
    delete process.env.npm_config_loglevel
  })
  process.env.npm_config_cafile = '/a.pem'
  process.env.npm_config_loglevel = 'silent'
  const env = createUserEnv()
  t.equal(env.npm_config_cafile, '/a.pem')
  t.notOk('npm_config_loglevel' in env)
  t.end()
})
