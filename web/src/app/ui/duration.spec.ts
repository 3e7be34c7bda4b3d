import { duration, relative } from './duration';

test.each([
  [0, '0 ms'],
  [-5, '0 ms'],
  [850, '850 ms'],
  [3_000, '3 s'],
  [3_240, '3.2 s'],
  [9_990, '10 s'],
  [59_400, '59 s'],
  [59_600, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [3_780_000, '1 h 3 min'],
  [90_000_000, '1 d 1 h'],
])('%d ms reads %j', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [0, 'just now'],
  [-20_000, '20 s ago'],
  [-200_000, '3 min ago'],
  [-86_400_000, '1 d ago'],
  [1_260_000, 'in 21 min'],
])('a moment %d ms away reads %j', (distance, text) => {
  expect(relative(1e12 + distance, 1e12)).toBe(text);
});
