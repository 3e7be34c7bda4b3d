import { ApiProblem } from '../api/api-problem';
import { LiveValue } from './live-value';

test('an event that overtakes a slow answer wins', async () => {
  const value = new LiveValue<string>();
  let answer!: (text: string) => void;
  const loading = value.load(() => new Promise<string>((resolve) => (answer = resolve)));
  value.set('event');
  answer('older answer');
  await loading;
  expect(value.value()).toBe('event');
});

test('a failed read keeps the last value and tells the problem until the next success', async () => {
  const value = new LiveValue<string>();
  value.set('known');
  await value.load(() => Promise.reject(new ApiProblem('busy', 'Busy.')));
  expect(value.value()).toBe('known');
  expect(value.problem()?.code).toBe('busy');
  await value.load(() => Promise.resolve('fresh'));
  expect(value.problem()).toBeNull();
});

test('an answer that arrives after the account was left is dropped', async () => {
  const value = new LiveValue<string>();
  let answer!: (text: string) => void;
  const loading = value.load(() => new Promise<string>((resolve) => (answer = resolve)));
  value.clear();
  answer('of somebody else');
  await loading;
  expect(value.value()).toBeNull();
});
