import t from 'tap'
import { writeFieldName } from '../../../src/server/schemas/form-object.ts'
import { groupIssues, hideSecrets, isPrivateField, toIssues, typedValues } from '../../../src/server/schemas/issues.ts'

t.test('texts are given back, but no files and no secrets', async (t) => {
  const form = new FormData()
  for (const [name, value] of [
    ['email', 'a@b.example'],
    ['topics', 'x'],
    ['topics', 'y'],
    ['list[]', 'z'],
    ['password', 'hunter2'],
    ['user.apiKey', 'k'],
    ['payment.code', '1'],
    ['cardNumber', '4111'],
    ['cvc', '123'],
    ['__proto__', 'no'],
    ['constructor', 'yes'],
  ] as const)
    form.append(name, value)
  form.append('file', new File(['x'], 'x.txt'))
  const values = typedValues(form)
  t.strictSame(values, {
    email: 'a@b.example',
    topics: ['x', 'y'],
    list: ['z'],
    constructor: 'yes',
  })
})

t.test('the time is linear in the number of values of a name', async (t) => {
  // Copies of all earlier values for each value would take minutes, and 80 GB of memory in total.
  const entries = Array.from({ length: 100_000 }, () => ['topics', 'x'] as const)
  t.equal(typedValues(entries).topics?.length, 100_000)
})

t.test('names of secrets', async (t) => {
  const secret = [
    'password',
    'newPassword',
    'a[0].secret',
    'creditCard',
    'card',
    'card_number',
    'cvv2',
    'pin',
    'items[3].key',
    'cc-number',
    'ccNumber',
    'cc_num',
    'payment[cc-csc]',
    'userSsn',
    'ibanNumber',
    'refundIban',
    'IBANNumber',
    'userSSNValue',
    'customerIBANCode',
    'bankAccountNumber',
    'socialSecurityNumber',
    ...['pw', 'newPw', 'login_pw', 'mdp', 'Kennwort', 'passwort', 'contraseña', 'contrasena', 'senha', 'wachtwoord'],
    ...['lösenord', 'adgangskode', 'hasło', 'heslo', 'nova_parola', 'şifre', 'пароль', '密码', 'パスワード'],
  ]
  t.strictSame(
    secret.filter((name) => !isPrivateField(name)),
    [],
  )
  const ordinary = [
    'postcard',
    'discard',
    'author',
    'shipping',
    'spin',
    'zipcode',
    'keyboard',
    'topic',
    'account',
    'accNumber',
    'cc',
    'cc.name',
    ...['pwa', 'upward', 'hasLocation', 'chosenHandle', 'theSlot', 'losing', 'parole', 'parolaChiave', 'parola_chiave'],
  ]
  t.strictSame(
    ordinary.filter((name) => isPrivateField(name)),
    [],
  )
})

t.test('messages do not repeat secrets', async (t) => {
  const issues = [
    { path: 'password', message: 'must be at least 8 long (was "hunter2")' },
    { path: 'email', message: 'hunter2 is no address of 1234' },
    { path: 'pin', message: 'must not be 1234' },
    { path: 'name', message: `${'x'.repeat(5_000)}hunter2` },
  ]
  const entries: [string, string][] = [
    ['password', 'hunter2'],
    ['pin', '1234'],
    ['pin', ''],
  ]
  const messages = hideSecrets(issues, entries).map(({ message }) => message)
  t.strictSame(messages.slice(0, 3), [
    'must be at least 8 long (was "[hidden]")',
    '[hidden] is no address of 1234',
    'must not be …',
  ])
  t.ok((messages[3]?.length ?? 0) < 2_100)
  t.strictSame(hideSecrets(issues, [['name', 'hunter2']]), issues, 'a form without secrets')
})

t.test('issues are grouped by field', async (t) => {
  const issues = toIssues(
    [
      { message: 'a', path: ['items', { key: 0 }, 'name'] },
      { message: 'b', path: ['items', 0, 'name'] },
      { message: 'b', path: ['items', 0, 'name'] },
      { message: 'c' },
      { message: 'd', path: ['__proto__'] },
      { message: 'e', path: [Symbol('s')] },
    ],
    writeFieldName,
  )
  t.strictSame(groupIssues(issues), { 'items[0].name': ['a', 'b'], '': ['c'], 'Symbol(s)': ['e'] })
  t.equal(
    toIssues(
      Array.from({ length: 5_000 }, () => ({ message: 'x' })),
      writeFieldName,
    ).length,
    1_000,
  )
})
