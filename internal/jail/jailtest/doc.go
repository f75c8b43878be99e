// Package jailtest runs tests of isolation a second time as a user without
// privileges.
package jailtest
